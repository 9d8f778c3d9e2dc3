import { useId, useState, type ReactNode } from 'react'
import type { Path, Value } from '../../answers/source'
import { Sign } from '../../parts/Sign'
import { setSecret, setValue, unsetValue } from '../actions'
import { fixedBy } from '../draft'
import { policyFor, useEditing, type Editing } from '../editing'
import { below, layerOf } from '../layer'
import { isStruct, same, valueAt, within, written } from '../path'
import { amountOf, unitsOf, type Schema } from '../schema'
import { suggestions } from '../suggestions'
import { AnyInput, BoolInput, ChoiceInput, NumberInput, TextInput, UnitInput } from './inputs'
import { Entries, Fields } from './Groups'
import { Elements } from './Elements'

// Field shows the value at a path as its schema wants it: what it is, who it is from, and what is wrong with it.
export function Field({ path, schema, name, required = false, entry = false }: { path: Path; schema: Schema; name: string; required?: boolean; entry?: boolean }) {
  const e = useEditing()
  const value = valueAt(e.doc, path)
  const shape = e.shapes.shape(schema, value)
  const kind = e.shapes.kind(shape)
  const fixed = fixedBy(e.draft, e.places, path)
  const hidden = isStruct(value) && value.set === true && Object.keys(value).length === 1
  if (fixed) return <Fixed path={path} name={name} why={fixed.why ?? 'is computed'} file={fixed.file} line={fixed.line} value={hidden ? undefined : value} />
  const definitions = layerOf(e.draft.dir) !== 'application' && path[0] === 'definitions' && e.places.find((p) => within(p.path, path))
  if (definitions) return <Fixed path={path} name={name} why="is CUE that no form can show" file={definitions.file} line={definitions.line} />
  if ((holdsSecrets(e, path) && path.length === 5) || (hidden && kind !== 'map')) return <Secret path={path} name={name} set={hidden} required={required || entry} />
  if (kind === 'struct' || kind === 'map' || kind === 'list' || (kind === 'variants' && typeof value === 'object')) return <Group path={path} schema={shape} name={name} />
  return <Single path={path} schema={shape} name={name} required={required} entry={entry} />
}

// holdsSecrets reports whether a path is that of the values of a secret, or of one of them.
const holdsSecrets = (e: Editing, path: Path) =>
  path[0] === 'components' && path[2] === 'properties' && path[3] === 'data' && valueAt(e.doc, ['components', path[1] ?? '', 'type']) === 'secret'

// Secret is a value that is not shown. Another one can take its place; no browser keeps it.
function Secret({ path, name, set, required }: { path: Path; name: string; set: boolean; required: boolean }) {
  const e = useEditing()
  const id = useId()
  const had = valueAt(e.doc, path)
  const typed = typeof had === 'string' ? had : ''
  const wrong = e.problems.some((p) => same(p.at, path))
  return (
    <div className={`field ${wrong ? 'wrong' : ''}`} data-field={written(path)}>
      <label htmlFor={id}>{name}</label>
      <div className="value">
        <input
          id={id} type="password" autoComplete="new-password" value={typed} placeholder={set ? 'set' : required ? '' : 'not set'}
          aria-describedby={`${id}-about`} aria-invalid={wrong || undefined}
          onChange={(ev) => e.change(setSecret(e, path, ev.target.value))}
        />
      </div>
      <p className="about soft" id={`${id}-about`}>{set ? 'set; write another value to replace it' : 'a new value'}: it is not shown, and kept until you leave this page only</p>
      <Wrong path={path} />
    </div>
  )
}

// Single is a value with one input. An entry of a map or a list is there as long as it is not removed.
function Single({ path, schema, name, required: needed, entry }: { path: Path; schema: Schema; name: string; required: boolean; entry: boolean }) {
  const e = useEditing()
  const id = useId()
  const origin = e.origin(path)
  const had = valueAt(e.doc, path)
  const required = needed || entry
  const fallback = required ? undefined : (policyFor(e.policy, path)?.value ?? schema.default)
  const value = had ?? fallback
  const kind = e.shapes.kind(schema)
  const own = e.shapes.variant(schema, value)
  const wrong = e.problems.filter((p) => same(p.at, path))
  const put = (v: Value | undefined) => {
    if (v === undefined) e.change(unsetValue(e, path, `set ${written(path)}`))
    else e.change(setValue(e, path, v))
  }
  const input = {
    id, value, put, required, name,
    inherited: origin.by === 'default',
    wrong: wrong.length > 0,
    describedBy: `${id}-about${wrong.length > 0 ? ` ${id}-wrong` : ''}`,
    suggested: suggestions(e, path, own),
  }
  const units = unitsFor(own, value)
  return (
    <div className={`field ${wrong.length > 0 ? 'wrong' : ''}`} data-field={written(path)}>
      <label htmlFor={id}>{name}{needed && <span className="soft"> required</span>}</label>
      <div className="value">
        {kind === 'bool' ? <BoolInput {...input} />
          : kind === 'choice' ? <ChoiceInput {...input} choices={(own.enum ?? [own.const ?? '']).map(String)} />
          : kind === 'number' ? <NumberInput {...input} whole={own.type === 'integer'} least={own.minimum} most={own.maximum} />
          : kind === 'any' ? <AnyInput {...input} />
          : units ? <UnitInput {...input} units={units} />
          : <TextInput {...input} />}
        {origin.by !== 'default' && !required && had !== undefined && (
          <button type="button" className="plain" onClick={() => put(undefined)} aria-label={`${name}: ${fallback !== undefined ? 'default' : 'take out'}`}>
            {fallback !== undefined ? 'default' : 'take out'}
          </button>
        )}
        {kind === 'variants' && <Variants path={path} schema={schema} name={name} />}
      </div>
      <About id={`${id}-about`} schema={schema} path={path} has={had !== undefined} />
      <Wrong id={`${id}-wrong`} path={path} />
    </div>
  )
}

// unitsFor returns the units of an amount, if the value is one that has a number and a unit.
function unitsFor(s: Schema, value: Value | undefined) {
  const units = unitsOf(s)
  if (!units) return undefined
  return value === undefined || value === '' || (typeof value === 'string' && amount(value, units)) ? units : undefined
}

const amount = (value: string, units: [string, string][]) => {
  const a = amountOf(value)
  return a !== undefined && units.some(([u]) => u === a[1])
}

// About says what a field is for, and who set its value.
export function About({ id, schema, path, has }: { id?: string; schema: Schema; path: Path; has: boolean }) {
  const e = useEditing()
  const origin = e.origin(path)
  const policy = policyFor(e.policy, path)
  const known = policy ? `default of the ${policy.layer}${policy.at ? `, ${policy.at.split(':').slice(0, 2).join(':')}` : ''}` : schema.default !== undefined ? 'default of the schema' : has ? 'default' : ''
  return (
    <p className="about soft" id={id}>
      {origin.by === 'draft' && has && <strong>changed here</strong>}
      {origin.by === 'file' && <span className="from">{below(origin.place.file, e.draft.dir)}:{origin.place.line}</span>}
      {origin.by === 'default' && (has || known) && <span>{known}</span>}
      {schema.description && <span> {schema.description}</span>}
    </p>
  )
}

// Wrong shows the problems of a field. With all, also those of what is below it.
export function Wrong({ id, path, all = false }: { id?: string; path: Path; all?: boolean }) {
  const { problems } = useEditing()
  const own = problems.filter((p) => (all ? within(p.at, path) : same(p.at, path)))
  if (own.length === 0) return null
  return (
    <ul className="said" id={id}>
      {own.map(({ problem: p }, i) => (
        <li key={i}>
          <Sign tone="bad" /> <strong>{p.code}</strong> {p.message}
        </li>
      ))}
    </ul>
  )
}

// Fixed shows what no form can edit: its value, why, where it stands, and the way there.
function Fixed({ path, name, why, file, line, value }: { path: Path; name: string; why: string; file: string; line: number; value?: Value }) {
  const e = useEditing()
  const at = `${file}:${line}`
  return (
    <div className="field fixed" data-field={written(path)} tabIndex={-1}>
      <span className="name">{name}</span>
      <div className="value">
        {value !== undefined && <code className="read">{shown(value)}</code>}
        <code className="place">{at}</code>
        <button type="button" className="plain" onClick={() => e.openText(file, line)} aria-label={`Open ${at} as text, for ${name}`}>open as text</button>
      </div>
      <p className="about soft">
        <Sign tone="off" /> read-only here: {why}
      </p>
      <Wrong path={path} all />
    </div>
  )
}

function shown(v: Value): string {
  const text = typeof v === 'string' ? v : JSON.stringify(v)
  return text.length > 300 ? `${text.slice(0, 300)} …` : text
}

// Group is a value with values of its own. It is closed as long as it has none.
function Group({ path, schema, name }: { path: Path; schema: Schema; name: string }) {
  const e = useEditing()
  const value = valueAt(e.doc, path)
  const meant = within(e.selected, path) && e.selected.length >= path.length
  const wrong = e.problems.some((p) => within(p.at, path))
  const [open, setOpen] = useState(opens(path, value) || holdsSecrets(e, path))
  const kind = e.shapes.kind(schema)
  const shows = open || meant || wrong
  return (
    <details className="group" open={shows} onToggle={(ev) => setOpen(ev.currentTarget.open)} data-field={written(path)}>
      <summary>
        {name}
        <span className="soft">{shows ? '' : holdsSecrets(e, path) ? inAll(value) : inShort(value)}</span>
        {wrong && (
          <span className="bad">
            <Sign tone="bad" /> has a problem
          </span>
        )}
      </summary>
      {shows && <Inside path={path} schema={schema} kind={kind} name={name} />}
    </details>
  )
}

function Inside({ path, schema, kind, name }: { path: Path; schema: Schema; kind: string; name: string }): ReactNode {
  const e = useEditing()
  const value = valueAt(e.doc, path)
  return (
    <div className="inside">
      {(schema.description || value !== undefined) && <About schema={schema} path={path} has={value !== undefined} />}
      <Wrong path={path} />
      {kind === 'variants' && <Variants path={path} schema={schema} name={name} />}
      {kind === 'list' ? <Elements path={path} schema={schema} name={name} />
        : kind === 'map' ? <Entries path={path} schema={schema} name={name} />
        : kind === 'variants' ? <Fields path={path} schema={e.shapes.variant(schema, value)} />
        : <Fields path={path} schema={schema} />}
    </div>
  )
}

// Variants chooses between the forms that a value can have.
function Variants({ path, schema, name }: { path: Path; schema: Schema; name: string }) {
  const e = useEditing()
  const list = (schema.anyOf ?? []).map((s) => e.shapes.resolved(s))
  const current = list.indexOf(list.find((s) => JSON.stringify(s) === JSON.stringify(e.shapes.variant(schema, valueAt(e.doc, path)))) ?? {})
  const word = (s: Schema) => (s.type === 'string' ? 'a value' : Object.keys(s.properties ?? {})[0] ?? s.named ?? s.type ?? 'other')
  return (
    <select aria-label={`What ${name} is`} value={current} onChange={(ev) => e.change(setValue(e, path, e.shapes.skeleton(list[Number(ev.target.value)] ?? {})))}>
      {list.map((s, i) => (
        <option key={i} value={i}>
          {word(s)}
        </option>
      ))}
    </select>
  )
}

// opens reports whether a group is open at first: what is short, and what a component is made of.
function opens(path: Path, value: Value | undefined): boolean {
  if (value === undefined) return false
  const upper = path[0] === 'components' ? 3 : path[0] === 'workflow' ? 4 : 1
  return path.length <= upper && path.at(-1) !== 'traits' ? JSON.stringify(value).length < 2000 : ['requests', 'limits'].includes(path.at(-1) ?? '')
}

function inAll(v: Value | undefined): string {
  const n = isStruct(v) ? Object.keys(v).length : 0
  return n === 1 ? '1 value' : `${n} values`
}

function inShort(v: Value | undefined): string {
  if (v === undefined) return 'not set'
  const text = plain(v).replace(/^[{[](.*)[}\]]$/s, '$1')
  return text === '' ? 'empty' : text.length > 70 ? `${text.slice(0, 70)} …` : text
}

function plain(v: Value): string {
  if (Array.isArray(v)) return `[${v.map(plain).join(', ')}]`
  return isStruct(v) ? `{${Object.entries(v).map(([k, x]) => `${k}: ${plain(x)}`).join(', ')}}` : String(v)
}
