import type { Application } from '../answers/application'
import type { Failure } from '../answers/explanation'
import { Moment } from '../parts/Moment'
import { Panel } from '../parts/Panel'
import { Sign } from '../parts/Sign'

// Outcomes shows what applying came to: what the cluster refuses, what failed, and what others changed.
export function Outcomes({ of: a, failures }: { of: Application; failures: Failure[] }) {
  const outcomes = a.outcomes ?? []
  const drift = a.drift ?? []
  if (outcomes.length + drift.length + failures.length === 0) return null
  return (
    <Panel title="What happened in the cluster">
      <ul className="rows">
        {outcomes.map((o) => (
          <li className="bad" key={`${o.object} ${o.reason}`}>
            <Sign tone="bad" />
            <div>
              <strong>{o.reason}</strong> {o.message}
              {o.objects && o.objects > 1 && <> ({o.objects} objects)</>}
              {o.field && <> <code>{o.field}</code></>}
              <small className="soft"> since <Moment at={o.first} />{o.next && <>, tried again <Moment at={o.next} /></>}</small>
            </div>
          </li>
        ))}
        {failures.map((f) => (
          <li className="warn" key={`${f.component} ${f.reason} ${f.first}`}>
            <Sign tone="warn" />
            <div>
              <strong>{f.component}</strong> failed: {f.reason} ({f.class}{f.exitCode ? `, exit code ${f.exitCode}` : ''}), {f.count === 1 ? 'once' : `${f.count} times`}
              <small className="soft">, last <Moment at={f.last} /></small>
            </div>
          </li>
        ))}
        {drift.map((d) => (
          <li className="move" key={`${d.object} ${d.time}`}>
            <Sign tone="move" />
            <div>
              <strong>{d.object}</strong> was {d.fields ? <>changed ({d.fields.join(', ')})</> : 'deleted'}{d.manager && <> by {d.manager}</>} and put back
              {d.count > 1 && <>, {d.count} times</>}
              <small className="soft">, last <Moment at={d.time} /></small>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
