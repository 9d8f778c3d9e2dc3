import { age, exact, isTime } from './age'
import { useNow } from './clock'

// Moment shows how long ago something was; the exact time is its title.
export function Moment({ at, none = '–' }: { at: string | undefined; none?: string }) {
  const now = useNow()
  if (!isTime(at)) return <>{none}</>
  return (
    <time dateTime={at} title={exact(at)}>
      {age(Date.parse(at), now)}
    </time>
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
