import { Panel } from '../parts/Panel'
import { Sign } from '../parts/Sign'
import type { Check } from './checklist'
import { useEditing } from './editing'

// Checklist says what a draft still needs before it can be saved. What is to be done at a field leads there.
export function Checklist({ of: checks }: { of: Check[] }) {
  const { goTo } = useEditing()
  const done = checks.filter((c) => c.done).length
  return (
    <Panel title="Checklist" note={<span role="status">{done === checks.length ? 'all is done' : `${done} of ${checks.length} done`}</span>}>
      <ul className="checklist" aria-label="Checklist">
        {checks.map((c) => (
          <li key={c.what}>
            <Sign tone={c.done ? 'ok' : 'warn'} /> <span className="unseen">{c.done ? 'done: ' : 'to do: '}</span>
            {c.at ? <button type="button" className="plain" onClick={() => c.at && goTo(c.at)}>{c.what}</button> : c.what}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
