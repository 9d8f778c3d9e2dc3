import { Panel } from '../parts/Panel'
import { Sign } from '../parts/Sign'
import { useEditing } from './editing'
import { isStruct, valueAt } from './path'
import { ordered } from './schema'

// Sections lists what a tenant or the platform declares, and what it could.
export function Sections() {
  const e = useEditing()
  const schema = e.shapes.whole()
  const value = valueAt(e.doc, [])
  const set = (label: string) => isStruct(value) && value[label] !== undefined
  return (
    <Panel title="Outline">
      <nav className="outline" aria-label="Outline">
        <ul>
          {ordered(schema).filter((l) => l !== 'name').sort((a, b) => Number(set(b)) - Number(set(a))).map((label) => {
            const problems = e.problems.filter((p) => p.at[0] === label).length
            return (
              <li key={label}>
                <button type="button" className="item" aria-current={e.selected[0] === label || undefined} onClick={() => e.goTo([label])}>
                  <span className="name">{label}</span> <span className="soft">{set(label) ? '' : 'not set'}</span>
                  {e.draft.done.some((s) => s.edits.some((x) => x.path[0] === label)) && <small className="soft"> changed</small>}
                  {problems > 0 && <span className="bad"><Sign tone="bad" /> {problems === 1 ? '1 problem' : `${problems} problems`}</span>}
                </button>
              </li>
            )
          })}
        </ul>
      </nav>
    </Panel>
  )
}
