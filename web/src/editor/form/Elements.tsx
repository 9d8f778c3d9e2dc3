import type { Path } from '../../answers/source'
import { appendValue, moveElement, removeElement } from '../actions'
import { useEditing } from '../editing'
import { valueAt } from '../path'
import type { Schema } from '../schema'
import { Field } from './Field'

// Elements shows the elements of a list.
export function Elements({ path, schema, name }: { path: Path; schema: Schema; name: string }) {
  const e = useEditing()
  const value = valueAt(e.doc, path)
  const list = Array.isArray(value) ? value : []
  const items = schema.items ?? {}
  return (
    <div className="fields">
      {list.map((_, i) => {
        const own = [...path, String(i)]
        const which = `element ${i + 1} of ${name}`
        return (
          <div key={i} className="entry">
            <Field path={own} schema={e.shapes.below(schema, value, String(i))} name={`${name} ${i + 1}`} entry />
            <span className="moves">
              <button type="button" disabled={i === 0} onClick={() => e.change(moveElement(e, own, i - 1))} aria-label={`Move ${which} up`}>↑</button>
              <button type="button" disabled={i === list.length - 1} onClick={() => e.change(moveElement(e, own, i + 1))} aria-label={`Move ${which} down`}>↓</button>
              <button type="button" onClick={() => { e.change(removeElement(e, own)); e.goTo(path) }} aria-label={`Remove ${which}`}>Remove</button>
            </span>
          </div>
        )
      })}
      <div className="adds">
        <button type="button" onClick={() => { e.change(appendValue(e, path, e.shapes.skeleton(items))); e.goTo([...path, String(list.length)]) }}>
          Add to {name}
        </button>
      </div>
    </div>
  )
}
