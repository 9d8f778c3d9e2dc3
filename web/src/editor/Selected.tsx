import { useState } from 'react'
import { Confirm } from '../parts/Modal'
import { Panel } from '../parts/Panel'
import { Tip } from '../parts/Tip'
import { comesAfter, connect, disconnect, isListed, moveElement, partsOf, removeApplication, removePart, renameApplication, renamePart, type Part, type Sort } from './actions'
import type { Wanted } from './AddPart'
import { copy } from './clipboard'
import { fateOf, fixedBy } from './draft'
import { useEditing } from './editing'
import { layerOf } from './layer'
import { Naming } from './Naming'
import { Fields } from './form/Groups'
import { Wrong } from './form/Field'
import { same, valueAt, written } from './path'

// Selected is the form of what is selected: the application, a component, or a step.
export function Selected({ add }: { add: (w: Wanted) => void }) {
  const e = useEditing()
  const components = partsOf(e.doc, 'components').find((p) => same(p.path, e.selected.slice(0, 2)))
  const step = partsOf(e.doc, 'steps').find((p) => same(p.path, e.selected.slice(0, 3)))
  const part = components ?? step
  if (part) return <PartForm key={`${written(part.path)} ${part.name} ${part.type}`} part={part} sort={components ? 'components' : 'steps'} add={add} />
  const schema = e.shapes.whole()
  const layer = layerOf(e.draft.dir)
  if (fateOf(e.draft) === 'removed') return <Panel title="Application" note={e.draft.application}><p>This draft removes the application with all its files. Undo it to go on with the forms.</p></Panel>
  return (
    <Panel
      title={{ application: 'Application', tenant: 'Tenant', platform: 'Platform' }[layer]}
      note={layer === 'platform' ? '' : e.draft.application}
      aside={layer === 'application' && !e.draft.created && <Whole />}
    >
      <div data-field="">
        <Wrong path={[]} />
        <Fields path={[]} schema={schema} without={layer === 'application' ? ['name', 'components', 'workflow'] : layer === 'tenant' ? ['name'] : []} />
        {layer === 'application' && <Workflow />}
      </div>
    </Panel>
  )
}

// Whole gives the application another name, or removes it.
function Whole() {
  const e = useEditing()
  const [own = ''] = e.draft.application.split('/').slice(1)
  const [asks, setAsks] = useState(false)
  const taken = (e.offers?.applications ?? []).concat(own)
  return (
    <span className="aside moves">
      <Rename name={own} taken={taken} done={(name) => { e.change(renameApplication(e, name)); e.goTo([]) }} />
      <button type="button" onClick={() => setAsks(true)}>Remove {e.draft.application}</button>
      {asks && (
        <Confirm title={`Remove ${e.draft.application}`} act={() => { e.change(removeApplication(e)); e.goTo([]) }} close={() => setAsks(false)}>
          The draft takes out all of its files. It ends when the change is merged, and what it has on volumes stays; until you save, Undo brings everything back.
        </Confirm>
      )}
    </span>
  )
}

function Workflow() {
  const e = useEditing()
  const workflow = valueAt(e.doc, ['workflow'])
  if (workflow === undefined) return null
  return (
    <>
      <h3>Workflow</h3>
      <Fields path={['workflow']} schema={e.shapes.shape(e.shapes.at(['workflow'], e.doc), workflow)} without={['steps']} />
    </>
  )
}

function PartForm({ part, sort, add }: { part: Part; sort: Sort; add: (w: Wanted) => void }) {
  const e = useEditing()
  const value = valueAt(e.doc, part.path)
  const schema = e.shapes.shape(e.shapes.at(part.path, e.doc), value)
  const what = sort === 'components' ? 'Component' : 'Step'
  const fixed = fixedBy(e.draft, e.places, part.path)
  const parts = partsOf(e.doc, sort)
  const index = Number(part.path.at(-1))
  return (
    <Panel
      title={`${what} ${part.name}`}
      note={part.type}
      aside={
        <span className="aside moves">
          {sort === 'steps' && (
            <>
              <button type="button" disabled={index === 0} onClick={() => { e.change(moveElement(e, part.path, index - 1)); e.select(part.path.with(2, String(index - 1))) }}>Earlier</button>
              <button type="button" disabled={index === parts.length - 1} onClick={() => { e.change(moveElement(e, part.path, index + 1)); e.select(part.path.with(2, String(index + 1))) }}>Later</button>
            </>
          )}
          <button type="button" onClick={() => add({ sort, after: part.name })}>Add one after it</button>
          <Tip text="Ctrl+C"><button type="button" onClick={() => copy(e, sort, part.name)}>Copy {part.name}</button></Tip>
          <Rename
            name={part.name}
            taken={parts.map((p) => p.name)}
            done={(name) => {
              e.change(renamePart(e, sort, part.name, name))
              e.goTo(sort === 'components' ? ['components', name] : part.path)
            }}
          />
          <button type="button" onClick={() => { e.change(removePart(e, sort, part.name)); e.goTo([]) }} disabled={parts.length === 1 && sort === 'components'}>Remove {part.name}</button>
        </span>
      }
    >
      <div data-field={written(part.path)}>
        <Wrong path={part.path} />
        {!fixed && !(sort === 'steps' && isListed(e.doc)) && <After part={part} sort={sort} parts={parts} />}
        <Fields path={part.path} schema={schema} without={fixed ? [] : ['dependsOn', ...(sort === 'steps' ? ['name'] : [])]} />
      </div>
    </Panel>
  )
}

// Rename asks for another name.
function Rename({ name, taken, done }: { name: string; taken: string[]; done: (to: string) => void }) {
  const [asks, setAsks] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setAsks(true)}>Rename {name}</button>
      {asks && <Naming name={name} taken={taken} done={done} close={() => setAsks(false)} />}
    </>
  )
}

// After is what a part waits for, one box for each other part.
function After({ part, sort, parts }: { part: Part; sort: Sort; parts: Part[] }) {
  const e = useEditing()
  const path = [...part.path, 'dependsOn']
  const fixed = fixedBy(e.draft, e.places, path)
  const others = parts.filter((p) => p.name !== part.name)
  const gone = part.after.filter((a) => !others.some((p) => p.name === a))
  if (others.length === 0 && gone.length === 0) return null
  return (
    <fieldset className="after" data-field={written(path)}>
      <legend>Comes after</legend>
      {fixed && <p className="soft">read-only: {fixed.why ?? 'is computed'}, <code className="place">{fixed.file}:{fixed.line}</code></p>}
      {[...others.map((p) => p.name), ...gone].map((name) => {
        const is = part.after.includes(name)
        const circle = !is && comesAfter(parts, name, part.name)
        return (
          <label key={name}>
            <input
              type="checkbox"
              checked={is}
              disabled={fixed !== undefined || circle}
              onChange={() => e.change(is ? disconnect(e, sort, part.name, name) : connect(e, sort, part.name, name))}
            />
            {name}
            {circle && <small className="soft">comes after {part.name}</small>}
          </label>
        )
      })}
      <Wrong path={path} all />
    </fieldset>
  )
}

