import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { params } from '../ask/answer'
import { useMeta } from '../ask/meta'
import { get } from '../ask/request'
import type { Changes } from '../answers/changes'
import { exact, isTime } from '../parts/age'
import { Badge } from '../parts/Badge'
import { Commit } from '../parts/Place'
import { Sign } from '../parts/Sign'
import { useCommits } from '../timeline/useCommits'
import { useAt } from './at'

// most is how many applications the list of what differs shows.
const most = 50

// Past says that the page is about an earlier moment, and what differs from now.
export function Past() {
  const at = useAt()
  const { data: meta } = useMeta()
  const now = meta?.commit
  const { data: changes, error } = useQuery<Changes, Error>({
    queryKey: ['changes', at, now],
    queryFn: ({ signal }) => get<Changes>('changes', params({ from: at, to: now }), signal),
    enabled: at !== undefined && now !== undefined && now !== '' && at !== now,
  })
  const { commits } = useCommits(at !== undefined)
  if (at === undefined) return null
  const moment = commits.find((c) => c.commit === at)
  return (
    <aside className="past" aria-label="An earlier moment">
      <p>
        <Sign tone="wait" />
        <strong>You look at the past:</strong> every page is as of {moment && isTime(moment.time) && <>{exact(moment.time)}, </>}commit <Commit hash={at} /> of the status branch.{' '}
        <Link to="." search={(s) => ({ ...s, at: undefined })}>
          Back to now
        </Link>
      </p>
      {error && <p>What differs from now is not known: {error.message}.</p>}
      {changes && (
        <details>
          <summary>{summary(changes.applicationsTotal)}</summary>
          <ul>
            {changes.applications.slice(0, most).map((d) => (
              <li key={d.application}>
                <span className="name">{d.application}</span>
                {d.before ? <Badge word={d.before.phase} /> : <span className="soft">was not there</span>} →{' '}
                {d.after ? <Badge word={d.after.phase} /> : <span className="soft">is not there any more</span>}
                {d.before && d.after && d.before.phase === d.after.phase && <span className="soft">with another grant or instance</span>}
              </li>
            ))}
            {changes.applicationsTotal > most && <li>and {changes.applicationsTotal - most} more</li>}
          </ul>
        </details>
      )}
    </aside>
  )
}

function summary(n: number): string {
  if (n === 0) return 'No application has another phase or grant now'
  return n === 1 ? '1 application has another phase or grant now' : `${n} applications have another phase or grant now`
}
