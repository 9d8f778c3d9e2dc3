import { Link, useParams } from '@tanstack/react-router'
import type { Application } from '../answers/application'
import type { Explanation } from '../answers/explanation'
import { Answer } from '../parts/Answer'
import { Panel } from '../parts/Panel'
import { ProblemList } from '../problems/ProblemList'
import { useExplanation, useStatus } from './answers'
import { Checks } from './Checks'
import { Components } from './Components'
import { Declared } from './Declared'
import { Outcomes } from './Outcomes'
import { Policies } from './Policies'

// Overview answers what an application is made of, how each part does, and what stands in its way.
export function Overview() {
  const status = useStatus()
  const explanation = useExplanation()
  return (
    <Answer of={explanation}>
      {(x) => {
        const a = status.data?.applications[0]
        return a ? <Both of={a} explained={x} /> : null
      }}
    </Answer>
  )
}

function Both({ of: a, explained: x }: { of: Application; explained: Explanation }) {
  const failed = (x.decision?.constraints ?? []).filter((c) => !c.ok)
  const own = (x.problems ?? []).filter((p) => p.tenant)
  return (
    <>
      {failed.length > 0 && (
        <Panel title="What stands in its way" aside={<ToDecision />}>
          <Checks list={failed} />
        </Panel>
      )}
      {own.length > 0 && (
        <Panel title="What in Git cannot be used" note={String(own.length)}>
          <ProblemList problems={own} />
        </Panel>
      )}
      <Components of={a} spec={x.spec} />
      <Outcomes of={a} failures={x.instance.failures ?? []} />
      <div className="columns">
        <Declared spec={x.spec} decision={x.decision} />
        <Policies list={x.decision?.policies ?? []} />
      </div>
    </>
  )
}

function ToDecision() {
  const { tenant = '', name = '' } = useParams({ strict: false })
  return (
    <Link to="/applications/$tenant/$name/decision" params={{ tenant, name }} className="aside">
      The whole decision, and what would admit it
    </Link>
  )
}
