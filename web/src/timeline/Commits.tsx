import { Link } from '@tanstack/react-router'
import type { Event } from '../answers/event'
import type { Moment as Commit } from '../answers/timeline'
import { Badge } from '../parts/Badge'
import { ExactMoment } from '../parts/Moment'
import { Commit as Hash, Unverified } from '../parts/Place'

// Commits lists the commits of the status branch with what each recorded first.
export function Commits({ list, at, choose }: { list: Commit[]; at: string | undefined; choose?: (c: Commit) => void }) {
  return (
    <ol className="history">
      {list.map((c, i) => {
        const current = c.commit === (at ?? list[0]?.commit)
        return (
          <li key={c.commit} className={current ? 'current' : undefined} aria-current={current ? 'true' : undefined}>
            <p className="when">
              <ExactMoment at={c.time} />
              {current ? (
                <span className="soft">{i === 0 ? 'now' : 'shown'}</span>
              ) : choose && (
                <button type="button" className="plain" onClick={() => choose(c)} aria-label={`look at that moment: ${c.subject}, commit ${c.commit.slice(0, 10)}`}>
                  look at that moment
                </button>
              )}
            </p>
            <div>
              <p>
                <strong>{c.subject}</strong> <Hash hash={c.commit} /> <Unverified why={c.unverified} />
              </p>
              {c.changes.length > 0 && (
                <ul className="changes">
                  {c.changes.map((e, n) => (
                    <li key={n}>
                      <Change of={e} />
                    </li>
                  ))}
                  {c.changesTotal > c.changes.length && <li className="soft">and {c.changesTotal - c.changes.length} more</li>}
                </ul>
              )}
            </div>
          </li>
        )
      })}
    </ol>
  )
}

function Change({ of: e }: { of: Event }) {
  const [tenant = '', name = ''] = e.application?.split('/') ?? []
  const phase = e.kind === 'transition'
  return (
    <>
      {e.application ? (
        <Link to="/applications/$tenant/$name" params={{ tenant, name }}>
          {e.application}
        </Link>
      ) : (
        <span className="soft">fleet</span>
      )}{' '}
      {e.step ? `step ${e.step} ` : e.run && !phase ? `run ${e.run} ` : e.object ? `${e.object} ` : !phase ? `${e.kind} ` : ''}
      {e.from && e.from !== e.to && <>{phase ? <Badge word={e.from} /> : shortened(e.from)} → </>}
      {phase ? <Badge word={e.to} /> : shortened(e.to)} <span className="soft">{e.reason}</span>
    </>
  )
}

// shortened cuts a commit, which is what a fleet came to, to the length in which people name it.
function shortened(to: string): string {
  return /^[0-9a-f]{40}$/.test(to) ? to.slice(0, 10) : to
}
