import { useEffect, useId, useRef, useState, type FormEvent } from 'react'
import type { Path, Struct } from '../answers/source'
import { Panel } from '../parts/Panel'
import { insertPart, partsOf, placeOf, type Sort } from './actions'
import { useEditing, type Editing } from './editing'
import { isStruct, valueAt } from './path'

// Wanted is a component or a step to add, perhaps between others.
export interface Wanted {
  sort: Sort
  type?: string
  after?: string
  before?: string
}

const names = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/

// AddPart asks for what is new: its name, its type and its place.
export function AddPart({ wanted: w, close }: { wanted: Wanted; close: (made: Path | undefined) => void }) {
  const e = useEditing()
  const id = useId()
  const form = useRef<HTMLFormElement>(null)
  const types = (w.sort === 'components' ? e.offers?.componentTypes : e.offers?.stepTypes) ?? []
  const parts = partsOf(e.doc, w.sort)
  const [type, setType] = useState(w.type ?? types[0]?.name ?? (w.sort === 'components' ? 'webservice' : 'deploy'))
  const [name, setName] = useState('')
  const [image, setImage] = useState('')
  const [after, setAfter] = useState(w.after ?? '')
  const [before, setBefore] = useState(w.before ?? '')
  useEffect(() => {
    form.current?.scrollIntoView({ block: 'nearest' })
    form.current?.querySelector('input')?.focus()
  }, [])
  const value = leastOf(e, w.sort, type, image)
  const asksImage = isStruct(value.properties) && 'image' in value.properties
  const taken = parts.some((p) => p.name === name)
  const possible = names.test(name) && !taken && (!asksImage || image !== '')
  const add = (ev: FormEvent) => {
    ev.preventDefault()
    if (!possible) return
    e.change(insertPart(e, w.sort, { name, type, value, after: after || undefined, before: before || undefined }))
    const at = w.sort === 'components' ? ['components', name] : ['workflow', 'steps', String(placeOf(e.doc, { after: after || undefined, before: before || undefined }))]
    close(at)
  }
  const what = w.sort === 'components' ? 'component' : 'step'
  const others = (label: string, chosen: string, put: (s: string) => void) => (
    <div className="field">
      <label htmlFor={`${id}-${label}`}>{label}</label>
      <div className="value">
        <select id={`${id}-${label}`} value={chosen} onChange={(ev) => put(ev.target.value)}>
          <option value="">nothing</option>
          {parts.map((p) => <option key={p.name} value={p.name}>{p.name}</option>)}
        </select>
      </div>
    </div>
  )
  return (
    <Panel title={`Add a ${what}`}>
      <form className="fields adding" ref={form} onSubmit={add} onKeyDown={(ev) => ev.key === 'Escape' && close(undefined)}>
        <div className="field">
          <label htmlFor={`${id}-name`}>name</label>
          <div className="value"><input id={`${id}-name`} type="text" value={name} onChange={(ev) => setName(ev.target.value)} spellCheck={false} autoComplete="off" aria-describedby={`${id}-about`} /></div>
          <p className="about soft" id={`${id}-about`} role="status">{taken ? `there is a ${what} ${name} already` : name !== '' && !names.test(name) ? 'lower-case letters, digits and dashes, beginning with a letter' : ''}</p>
        </div>
        <div className="field">
          <label htmlFor={`${id}-type`}>type</label>
          <div className="value">
            <select id={`${id}-type`} value={type} onChange={(ev) => setType(ev.target.value)}>
              {!types.some((t) => t.name === type) && <option value={type}>{type}</option>}
              {types.map((t) => <option key={t.name} value={t.name}>{t.name}{t.definition ? ' (of the platform)' : ''}</option>)}
            </select>
          </div>
          <p className="about soft">{types.find((t) => t.name === type)?.about}</p>
        </div>
        {asksImage && (
          <div className="field">
            <label htmlFor={`${id}-image`}>image</label>
            <div className="value"><input id={`${id}-image`} type="text" value={image} onChange={(ev) => setImage(ev.target.value)} spellCheck={false} autoComplete="off" /></div>
          </div>
        )}
        {others('after', after, setAfter)}
        {others('before', before, setBefore)}
        <div className="adds">
          <button type="submit" className="primary" disabled={!possible}>Add the {what}</button>
          <button type="button" onClick={() => close(undefined)}>Cancel</button>
        </div>
      </form>
    </Panel>
  )
}

// leastOf is what a type needs at least.
export function leastOf(e: Pick<Editing, 'shapes' | 'doc'>, sort: Sort, type: string, image: string): Struct {
  const list = sort === 'components' ? ['components'] : ['workflow', 'steps']
  const at = sort === 'components' ? 'a' : '0'
  const one = e.shapes.below(e.shapes.at(list, e.doc), sort === 'components' ? { [at]: { type } } : [{ type }], at)
  const properties = e.shapes.shape(one, { type }).properties?.properties
  const least = properties && Object.keys(properties).length > 0 ? e.shapes.skeleton(properties) : undefined
  if (!isStruct(least) || Object.keys(least).length === 0) return {}
  return { properties: valueAt(least, ['image']) !== undefined ? { ...least, image } : least }
}
