import { age, exact, isTime } from './age'
import { useNow } from './clock'
import { Tip } from './Tip'

// Moment shows how long ago something was; its tip has the exact time.
export function Moment({ at, none = '–' }: { at: string | undefined; none?: string }) {
  const now = useNow()
  if (!isTime(at)) return <>{none}</>
  return (
    <Tip text={exact(at)}>
      <time dateTime={at}>{age(Date.parse(at), now)}</time>
    </Tip>
  )
}

// ExactMoment shows both, for lists in which people look for a time.
export function ExactMoment({ at }: { at: string }) {
  return (
    <>
      {isTime(at) && <span className="exact">{exact(at)}</span>}
      <Moment at={at} none="at an unknown time" />
    </>
  )
}
