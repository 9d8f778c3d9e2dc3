import type { Decision } from '../answers/decision'
import type { Spec } from '../answers/explanation'
import { money } from '../parts/amount'
import { Moment } from '../parts/Moment'
import { Panel } from '../parts/Panel'
import { Commit } from '../parts/Place'

// Declared shows what the accepted spec says of the application as a whole, and on what it was decided.
export function Declared({ spec, decision }: { spec: Spec | undefined; decision: Decision | undefined }) {
  const rows: [string, React.ReactNode][] = []
  if (spec) {
    rows.push(['Priority', spec.priority], ['Desired', spec.desired])
    if (spec.budget) rows.push(['Budget', `${money(spec.budget)} an hour`])
    const labels = Object.entries(spec.labels ?? {})
    if (labels.length > 0) rows.push(['Labels', labels.map(([k, v]) => `${k}=${v}`).join(', ')])
    rows.push(['Source commit', <Commit hash={spec.commit} source />])
  }
  if (decision) {
    rows.push(['Verdict', `${decision.verdict}${decision.degraded ? ', with less than it asks for' : ''}`])
    if (decision.standing) rows.push(['Standing', decision.standing])
    rows.push(['Decided', <Moment at={decision.inputs.at} />], ['On commit', <Commit hash={decision.inputs.commit} source />])
  }
  if (rows.length === 0) return null
  return (
    <Panel title="In short">
      <dl className="facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}
