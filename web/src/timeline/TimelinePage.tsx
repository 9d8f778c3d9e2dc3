import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { Moment } from '../answers/timeline'
import { exported } from '../ask/exported'
import { Failure } from '../parts/Answer'
import { length } from '../parts/age'
import { Panel } from '../parts/Panel'
import { useAt } from '../shell/at'
import { useTitle } from '../shell/title'
import { bucketsOf } from './buckets'
import { Commits } from './Commits'
import { Scrubber } from './Scrubber'
import { useCommits } from './useCommits'

const Chart = lazy(() => import('./Chart'))

// TimelinePage answers when something happened, and lets all pages show an earlier moment.
export function TimelinePage() {
  useTitle('Timeline')
  const { commits, error, more, fetchMore, busy } = useCommits()
  const at = useAt()
  const navigate = useNavigate()
  const shown = commits.find((c) => c.commit === at)
  const choose = (m: Moment) =>
    exported === undefined && void navigate({ to: '.', replace: true, resetScroll: false, search: (s) => ({ ...s, at: m.commit === commits[0]?.commit ? undefined : m.commit }) })
  return (
    <div className="page">
      <div className="heading">
        <h1>Timeline</h1>
        <p>The commits of the status branch. {exported === undefined && 'Choose one, and every page shows the fleet as of then.'}</p>
      </div>
      {error && commits.length === 0 && <Failure error={error} />}
      {commits.length > 0 && (
        <>
          <Panel title="Transitions" note={`in ${length(bucketsOf(commits).width)} each, of the last ${commits.length} commits; times are UTC`}>
            <Suspense fallback={<p className="loading">Drawing …</p>}>
              <Chart commits={commits} at={shown} choose={choose} />
            </Suspense>
            {exported === undefined && <Scrubber commits={commits} at={shown} choose={choose} />}
          </Panel>
          <Panel title="Commits" note="the latest first">
            <Commits list={commits} at={at} choose={exported === undefined ? choose : undefined} />
            {more && (
              <button type="button" className="plain" onClick={fetchMore} disabled={busy}>
                {busy ? 'Asking …' : 'Show earlier ones'}
              </button>
            )}
          </Panel>
        </>
      )}
      {commits.length === 0 && !error && !busy && <p className="empty">The branch has no commit yet.</p>}
    </div>
  )
}
