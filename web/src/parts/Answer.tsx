import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Refusal } from '../ask/request'

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
  const signedOut = error instanceof Refusal && error.status === 401
  return (
    <div className="failure" role="alert">
      {signedOut ? (
        <>
          <strong>This browser is not signed in.</strong> Open the address that <code>reconciler ui</code> printed when it started.
        </>
      ) : (
        <>
          <strong>There is no answer:</strong> {error.message}.
        </>
      )}
    </div>
  )
}
