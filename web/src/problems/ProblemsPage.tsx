import { Link, useSearch } from '@tanstack/react-router'
import type { Problems } from '../answers/problems'
import { useAnswer } from '../ask/answer'
import { Answer } from '../parts/Answer'
import { Panel } from '../parts/Panel'
import { text } from '../shell/search'
import { useTitle } from '../shell/title'
import { ProblemList } from './ProblemList'

// ProblemsPage lists what is declared in Git and cannot be used.
export function ProblemsPage() {
  useTitle('Problems')
  const search: Record<string, unknown> = useSearch({ strict: false })
  const after = text(search.after)
  const problems = useAnswer<Problems>('problems', { after, limit: 100 })
  return (
    <div className="page">
      <div className="heading">
        <h1>Problems</h1>
        <p>What Git declares and nobody can use as it stands. What was good before stays in force.</p>
      </div>
      <Answer of={problems}>
        {(p) => (
          <Panel title="What cannot be used" note={String(p.total)}>
            {p.total === 0 ? <p className="empty">There is no problem: all that Git declares can be used.</p> : <ProblemList problems={p.problems} />}
            <p className="more">
              {after && (
                <Link to="." search={(s) => ({ ...s, after: undefined })}>
                  First page
                </Link>
              )}{' '}
              {p.next && (
                <Link to="." search={(s) => ({ ...s, after: p.next })}>
                  Next page
                </Link>
              )}
            </p>
          </Panel>
        )}
      </Answer>
    </div>
  )
}
