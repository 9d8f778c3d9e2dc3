import type { Path } from '../answers/source'
import { Panel } from '../parts/Panel'
import { Sign } from '../parts/Sign'
import { Tip } from '../parts/Tip'
import { imagesOf, partsOf, type Sort } from './actions'
import type { Wanted } from './AddPart'
import { paste, useCopied } from './clipboard'
import { useEditing } from './editing'
import { PartMenu } from './PartMenu'
import { same, within } from './path'

// Outline lists all that an application is made of, and adds to it. It says and does what the picture says and does.
export function Outline({ add }: { add: (w: Wanted) => void }) {
  const { doc, draft } = useEditing()
  const components = partsOf(doc, 'components')
  const steps = partsOf(doc, 'steps')
  const images = imagesOf(doc).length
  return (
    <Panel title="Outline">
      <nav className="outline" aria-label="Outline">
        <ul>
          <li><Item path={[]} name={draft.application} kind="application" own /></li>
          <li><Item path={['images']} name="New version" kind={images === 1 ? '1 image' : `${images} images`} /></li>
        </ul>
        <h3 id="outline-components">Components</h3>
        <Parts of="components" list={components} add={add} />
        <button type="button" onClick={() => add({ sort: 'components' })}>Add a component</button>
        <Paste sort="components" />
        <h3 id="outline-steps">Steps of a rollout</h3>
        {steps.length === 0 && <p className="soft">None: components start in the order of what they wait for.</p>}
        <Parts of="steps" list={steps} add={add} />
        <button type="button" onClick={() => add({ sort: 'steps' })}>Add a step</button>
        <Paste sort="steps" />
      </nav>
    </Panel>
  )
}

// Paste adds what was copied, also in another application.
function Paste({ sort }: { sort: Sort }) {
  const e = useEditing()
  const c = useCopied()
  return c?.sort === sort && <Tip text="Ctrl+V"><button type="button" onClick={() => paste(e, c)}>Paste {c.name}</button></Tip>
}

function Parts({ of, list, add }: { of: Sort; list: ReturnType<typeof partsOf>; add: (w: Wanted) => void }) {
  return (
    <PartMenu sort={of} add={add}>
      <ul aria-labelledby={`outline-${of}`}>
        {list.map((p) => (
          <li key={p.name} data-part={p.name}><Item path={p.path} name={p.name} kind={p.type} after={p.after} /></li>
        ))}
      </ul>
    </PartMenu>
  )
}

function Item({ path, name, kind, after = [], own = false }: { path: Path; name: string; kind: string; after?: string[]; own?: boolean }) {
  const e = useEditing()
  const part = e.selected[0] === 'workflow' ? e.selected.slice(0, 3) : e.selected.slice(0, 2)
  const current = own ? !['components', 'images'].includes(e.selected[0] ?? '') && part.length < 3 : same(part, path)
  const problems = own ? e.problems.filter((p) => p.at[0] !== 'components' && p.at[1] !== 'steps') : e.problems.filter((p) => path[0] !== 'images' && within(p.at, path))
  const changed = !own && e.draft.done.some((s) => s.edits.some((x) => within(x.path, path)))
  return (
    <button type="button" className="item" aria-current={current || undefined} onClick={() => e.select(path)}>
      <span className="name">{name}</span> <span className="soft">{kind}</span>
      {after.length > 0 && <small className="soft"> after {after.join(', ')}</small>}
      {changed && <small className="soft"> changed</small>}
      {problems.length > 0 && (
        <span className="bad">
          <Sign tone="bad" /> {problems.length === 1 ? '1 problem' : `${problems.length} problems`}
        </span>
      )}
    </button>
  )
}
