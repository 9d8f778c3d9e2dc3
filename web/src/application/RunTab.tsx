import { lazy, Suspense } from 'react'
import type { Run } from '../answers/run'
import type { Workflow } from '../answers/workflow'
import { useAnswer } from '../ask/answer'
import { Answer } from '../parts/Answer'
import { Badge } from '../parts/Badge'
import { Moment } from '../parts/Moment'
import { Panel } from '../parts/Panel'
import { Tip } from '../parts/Tip'
import { usePath } from './answers'
import { Asked } from './Asked'
import { stepNodes } from './nodes'
import { PeopleNeeded } from './PeopleNeeded'
import { Steps } from './Steps'

const Graph = lazy(() => import('../graph/Graph'))

// RunTab answers how far the latest run of the workflow is, what it waits for, and who can move it on.
export function RunTab() {
  const workflow = useAnswer<Workflow>(`${usePath()}/run`)
  return (
    <Answer of={workflow}>
      {(w) => {
        if (!w.run) return <p className="empty">No run yet. A run begins when an application with a workflow has been granted its place.</p>
        const nodes = stepNodes(w.steps ?? [], w.run.steps)
        return (
          <>
            <PeopleNeeded run={w.run} waits={w.waits ?? []} steps={w.steps ?? []} />
            <Panel title={`Run ${w.run.number}`} aside={<Badge word={w.run.phase} />}>
              <About run={w.run} />
              {nodes.length > 1 && (
                <Suspense fallback={<p className="loading">Drawing …</p>}>
                  <Graph nodes={nodes} label="Steps, and what they depend on" things="steps" />
                </Suspense>
              )}
              <Steps run={w.run} waits={w.waits ?? []} steps={w.steps ?? []} />
            </Panel>
            <Asked list={w.run.commands ?? []} />
          </>
        )
      }}
    </Answer>
  )
}

const ended = new Set(['succeeded', 'failed', 'rolled-back', 'stopped', 'superseded'])

function About({ run: r }: { run: Run }) {
  return (
    <p>
      Its phase is {r.phase} since <Moment at={r.since} />
      {r.message && <>: {r.message}</>}. It rolls out release <Tip text={r.spec}><code>{r.spec.slice(0, 8)}</code></Tip>; its digest begins with <Tip text={r.run}><code>{r.run.slice(0, 12)}</code></Tip>.
      {r.fast && <> It goes back to a release that succeeded lately, so it does nothing but bring that.</>}
      {r.supersededBy && <> A newer release took its place.</>}
      {!ended.has(r.phase) && <> It ends <Moment at={r.deadline} /> at the latest.</>}
    </p>
  )
}
