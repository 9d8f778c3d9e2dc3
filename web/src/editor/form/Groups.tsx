import { useId, useRef, useState } from 'react'
import type { Path } from '../../answers/source'
import { setValue, unsetValue } from '../actions'
import { useEditing } from '../editing'
import { isStruct, valueAt, within } from '../path'
import { ordered, type Schema } from '../schema'
import { Field } from './Field'

// few is how many fields a struct has at most that shows all of them at once.
const few = 5

// Fields shows the fields of a struct: those that are set or needed first, the others on demand. A field does not change its place
// while somebody fills it in.
export function Fields({ path, schema, without = [] }: { path: Path; schema: Schema; without?: string[] }) {
  const e = useEditing()
  const value = valueAt(e.doc, path)
  const all = ordered(schema).filter((l) => !without.includes(l) && !(empty(e.shapes.below(schema, value, l)) && valueAt(value, [l]) === undefined))
  const others = isStruct(value) ? Object.keys(value).filter((l) => !all.includes(l) && !without.includes(l)) : []
  const required = schema.required ?? []
  const [more, setMore] = useState(false)
  const shown = useRef<Set<string>>(undefined)
  shown.current ??= new Set(all.filter((l) => all.length <= few || required.includes(l) || (isStruct(value) && value[l] !== undefined && e.origin([...path, l]).by !== 'default')))
  const upper = all.filter((l) => shown.current?.has(l))
  const lower = all.filter((l) => !shown.current?.has(l))
  const meant = lower.some((l) => within(e.selected, [...path, l]) || e.problems.some((p) => within(p.at, [...path, l])))
  const one = (l: string) => <Field key={l} path={[...path, l]} schema={e.shapes.below(schema, value, l)} name={l} required={required.includes(l)} />
  return (
    <div className="fields">
      {upper.map(one)}
      {others.map(one)}
      {lower.length > 0 && (
        <details className="more-fields" open={more || meant} onToggle={(ev) => setMore(ev.currentTarget.open)}>
          <summary>
            {lower.length === 1 ? '1 more field' : `${lower.length} more fields`} <span className="soft">{lower.slice(0, 4).join(', ')}{lower.length > 4 && ' …'}</span>
          </summary>
          {(more || meant) && <div className="fields">{lower.map(one)}</div>}
        </details>
      )}
    </div>
  )
}

// empty reports whether a schema allows nothing but an empty struct.
const empty = (s: Schema) => s.type === 'object' && s.additionalProperties === false && !s.properties && !s.patternProperties

// Entries shows the entries of a map, and adds one under a name.
export function Entries({ path, schema, name }: { path: Path; schema: Schema; name: string }) {
  const e = useEditing()
  const id = useId()
  const value = valueAt(e.doc, path)
  const [label, setLabel] = useState('')
  const labels = isStruct(value) ? Object.keys(value) : []
  const shape = label === '' ? {} : e.shapes.below(schema, value, label)
  const known = Object.entries(schema.patternProperties ?? {}).length === 0 || Object.keys(shape).length > 0
  const add = () => {
    if (label === '' || labels.includes(label) || !known) return
    e.change(setValue(e, [...path, label], e.shapes.skeleton(shape), 'new'))
    setLabel('')
    e.goTo([...path, label])
  }
  return (
    <div className="fields">
      {labels.map((l) => (
        <div key={l} className="entry">
          <Field path={[...path, l]} schema={e.shapes.below(schema, value, l)} name={l} entry />
          <button type="button" onClick={() => { e.change(unsetValue(e, [...path, l])); e.goTo(path) }} aria-label={`Remove ${l} from ${name}`}>
            Remove
          </button>
        </div>
      ))}
      <div className="adds">
        <label htmlFor={id}>New name in {name}</label>
        <input
          id={id}
          type="text"
          value={label}
          spellCheck={false}
          onChange={(ev) => setLabel(ev.target.value)}
          onKeyDown={(ev) => {
            if (ev.key === 'Enter') add()
          }}
        />
        <button type="button" onClick={add} disabled={label === '' || labels.includes(label) || !known} aria-label={`Add it to ${name}`}>
          Add
        </button>
        {label !== '' && (labels.includes(label) || !known) && <span className="soft" role="status">{labels.includes(label) ? 'it is there already' : 'this name is not possible'}</span>}
      </div>
    </div>
  )
}
