import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Refusal } from '../ask/request'
import { SignedOut } from './SignedOut'

// Answer shows what was answered; until then that it is on its way, or why there is none. An answer that was had before stays.
export function Answer<T>({ of, children }: { of: UseQueryResult<T, Error>; children: (answer: T) => ReactNode }) {
  if (of.data !== undefined) return <>{children(of.data)}</>
  if (of.error) return <Failure error={of.error} />
  return (
    <p className="loading" role="status">
      Asking …
    </p>
  )
}

export function Failure({ error }: { error: Error }) {
  return (
    <div className="failure" role="alert">
      {error instanceof Refusal && error.status === 401 ? (
        <SignedOut at={error.signIn} />
      ) : (
        <>
          <strong>There is no answer:</strong> {error.message}.
        </>
      )}
    </div>
  )
}
