import type { Edit, Path, Struct, Value } from '../answers/source'
import type { Editing } from './editing'
import { isList, originOf, type Step } from './draft'
import { append, applyEdits, takeOut } from './edit'
import { below } from './layer'
import { isStruct, valueAt, written } from './path'

// Part is a component or a step: something that may come after others.
export interface Part {
  path: Path
  name: string
  type: string
  after: string[]
}

export type Sort = 'components' | 'steps'

// partsOf lists the components or the steps of an application.
export function partsOf(doc: Value, sort: Sort): Part[] {
  const list = valueAt(doc, sort === 'components' ? ['components'] : ['workflow', 'steps'])
  const entries: [Path, string, Value][] =
    sort === 'steps'
      ? (Array.isArray(list) ? list : []).map((v, i) => [['workflow', 'steps', String(i)], text(v, 'name') || String(i + 1), v])
      : Object.entries(isStruct(list) ? list : {}).map(([name, v]) => [['components', name], name, v])
  return entries.map(([path, name, v]) => ({ path, name, type: text(v, 'type'), after: strings(valueAt(v, ['dependsOn'])) }))
}

const text = (v: Value, field: string) => {
  const found = valueAt(v, [field])
  return typeof found === 'string' ? found : ''
}

const strings = (v: Value | undefined) => (Array.isArray(v) ? v.filter((x): x is string => typeof x === 'string') : [])

// isListed reports whether steps that do not say what they come after come one after the other.
export function isListed(doc: Value): boolean {
  return valueAt(doc, ['workflow', 'order']) === 'listed'
}

// comesAfter reports whether a part waits for another one, directly or not.
export function comesAfter(parts: Part[], name: string, other: string, seen = new Set<string>()): boolean {
  if (seen.has(name)) return false
  seen.add(name)
  const after = parts.find((p) => p.name === name)?.after ?? []
  return after.includes(other) || after.some((a) => comesAfter(parts, a, other, seen))
}

// Doing collects the edits of one step, each of which sees what those before it did.
class Doing {
  readonly edits: Edit[] = []
  private doc: Value
  constructor(private readonly e: Editing) {
    this.doc = e.doc
  }

  do(edit: Edit) {
    this.edits.push(edit)
    this.doc = applyEdits(this.doc, [edit])
  }

  set(path: Path, value: Value) {
    const origin = originOf(this.draft(), this.e.places, path)
    if (origin.by === 'file' && isStruct(this.value(path))) this.unset(path) // a struct in a file cannot be replaced in one go
    this.do({ dir: this.e.draft.dir, path, op: 'set', value })
  }

  unset(path: Path) {
    this.do({ dir: this.e.draft.dir, path, op: 'unset' })
  }

  append(path: Path, value: Value) {
    this.do(append(this.e.draft.dir, path, value, this.doc, this.listed(path)))
  }

  takeOut(path: Path) {
    this.do(takeOut(this.e.draft.dir, path, this.doc, this.listed(path.slice(0, -1))))
  }

  value(path: Path) {
    return valueAt(this.doc, path)
  }

  // remove takes a name out of a list of names, wherever it is.
  removeName(list: Path, name: string) {
    for (let i = strings(this.value(list)).indexOf(name); i >= 0; i = strings(this.value(list)).indexOf(name)) this.takeOut([...list, String(i)])
  }

  private listed(path: Path) {
    return isList(this.draft(), this.e.places, this.doc, path)
  }

  private draft() {
    return { ...this.e.draft, done: [...this.e.draft.done, { what: '', edits: this.edits }] }
  }
}

export function setValue(e: Editing, path: Path, value: Value, mark?: string): Step {
  const d = new Doing(e)
  d.set(path, value)
  const said = typeof value === 'object' ? '' : ` to ${String(value).slice(0, 40)}`
  return { what: `set ${label(e, path)}${said}`, edits: d.edits, mark: mark ?? `set ${written(path)}` }
}

// setSecret replaces a value that nobody is shown.
export function setSecret(e: Editing, path: Path, value: string): Step {
  const d = new Doing(e)
  d.set(path, value)
  return { what: `replace ${label(e, path)}`, edits: d.edits, mark: `set ${written(path)}`, secret: true }
}

// rewrite gives a file another text.
export function rewrite(e: Editing, file: string, text: string): Step {
  return { what: `edit ${below(file, e.draft.dir)}`, edits: [{ dir: e.draft.dir, path: [file], op: 'text', value: text }], mark: `text ${file}` }
}

export function setAll(e: Editing, what: string, values: [Path, Value][]): Step {
  const d = new Doing(e)
  for (const [path, value] of values) d.set(path, value)
  return { what, edits: d.edits }
}

export function unsetValue(e: Editing, path: Path, mark?: string): Step {
  const d = new Doing(e)
  d.unset(path)
  return { what: `take out ${label(e, path)}`, edits: d.edits, mark }
}

export function appendValue(e: Editing, path: Path, value: Value): Step {
  const d = new Doing(e)
  d.append(path, value)
  return { what: `add to ${label(e, path)}`, edits: d.edits }
}

export function removeElement(e: Editing, path: Path): Step {
  const d = new Doing(e)
  d.takeOut(path)
  return { what: `take out of ${label(e, path.slice(0, -1))}`, edits: d.edits }
}

export function moveElement(e: Editing, path: Path, to: number): Step {
  const d = new Doing(e)
  const list = path.slice(0, -1)
  const had = valueAt(e.doc, list)
  if (isList(e.draft, e.places, e.doc, list)) d.do({ dir: e.draft.dir, path, op: 'move', to })
  else if (Array.isArray(had)) d.set(list, had.toSpliced(Number(path.at(-1)), 1).toSpliced(to, 0, had[Number(path.at(-1))] ?? null))
  return { what: `reorder ${label(e, list)}`, edits: d.edits }
}

// connect lets a part come after another one.
export function connect(e: Editing, sort: Sort, name: string, after: string): Step {
  const d = new Doing(e)
  const part = partsOf(e.doc, sort).find((p) => p.name === name)
  if (part) d.append([...part.path, 'dependsOn'], after)
  return { what: `let ${name} come after ${after}`, edits: d.edits }
}

export function disconnect(e: Editing, sort: Sort, name: string, after: string): Step {
  const d = new Doing(e)
  const part = partsOf(e.doc, sort).find((p) => p.name === name)
  if (part) d.removeName([...part.path, 'dependsOn'], after)
  return { what: `let ${name} not wait for ${after}`, edits: d.edits }
}

export interface New {
  name: string
  type: string
  value: Struct // its further fields
  after: string | undefined
  before: string | undefined
}

// insertPart adds a component or a step, between two others if both are named.
export function insertPart(e: Editing, sort: Sort, n: New): Step {
  const d = new Doing(e)
  const inOrder = sort === 'steps' && (isListed(e.doc) || valueAt(e.doc, ['workflow']) === undefined)
  const value: Struct = { ...(sort === 'steps' && { name: n.name }), type: n.type, ...(n.after !== undefined && !inOrder && { dependsOn: [n.after] }), ...n.value }
  if (sort === 'components') {
    d.set(['components', n.name], value)
  } else if (valueAt(e.doc, ['workflow']) === undefined) {
    d.set(['workflow'], { order: 'listed', steps: [value] })
  } else {
    const at = placeOf(e.doc, n)
    if (at < partsOf(e.doc, sort).length && isList(e.draft, e.places, e.doc, ['workflow', 'steps'])) d.do({ dir: e.draft.dir, path: ['workflow', 'steps', String(at)], op: 'insert', value })
    else d.append(['workflow', 'steps'], value)
  }
  if (n.before !== undefined && !inOrder) {
    const path = partsOf(applyEdits(e.doc, d.edits), sort).find((p) => p.name === n.before)?.path
    if (path) {
      const list = [...path, 'dependsOn']
      const at = n.after === undefined ? -1 : strings(d.value(list)).indexOf(n.after)
      if (at >= 0) d.set([...list, String(at)], n.name)
      else d.append(list, n.name)
    }
  }
  return { what: `add ${sort === 'steps' ? 'step ' : ''}${n.name}`, edits: d.edits }
}

// pastePart adds a copy of a part, by a name that is free. It comes after what it came after, as far as that is here.
export function pastePart(e: Editing, c: { sort: Sort; name: string; value: Struct }): { step: Step; name: string } {
  const taken = partsOf(e.doc, c.sort).map((p) => p.name)
  let name = c.name
  for (let n = 2; taken.includes(name); n++) name = `${c.name.slice(0, 58)}-${n}`
  const { name: _, type, dependsOn, ...rest } = c.value
  const after = strings(dependsOn).filter((n) => taken.includes(n))
  const step = insertPart(e, c.sort, { name, type: typeof type === 'string' ? type : '', value: { ...(after.length > 0 && !(c.sort === 'steps' && isListed(e.doc)) && { dependsOn: after }), ...rest }, after: undefined, before: undefined })
  return { step: { ...step, what: `paste ${c.sort === 'steps' ? 'step ' : ''}${name}` }, name }
}

// placeOf is where a new step goes in the list.
export function placeOf(doc: Value, n: Pick<New, 'after' | 'before'>): number {
  const parts = partsOf(doc, 'steps')
  const before = parts.findIndex((p) => p.name === n.before)
  const after = parts.findIndex((p) => p.name === n.after)
  return before >= 0 ? before : after >= 0 ? after + 1 : parts.length
}

// removePart takes out a component or a step, and what names it as something to wait for.
export function removePart(e: Editing, sort: Sort, name: string): Step {
  const d = new Doing(e)
  for (const p of partsOf(e.doc, sort)) if (p.after.includes(name)) d.removeName([...p.path, 'dependsOn'], name)
  if (sort === 'components') {
    for (const s of partsOf(e.doc, 'steps')) d.removeName([...s.path, 'components'], name)
    d.unset(['components', name])
  } else {
    const step = partsOf(e.doc, sort).find((p) => p.name === name)
    if (step && partsOf(e.doc, sort).length === 1) d.unset(['workflow'])
    else if (step) d.takeOut(step.path)
  }
  return { what: `remove ${sort === 'steps' ? 'step ' : ''}${name}`, edits: d.edits }
}

// renamePart gives a component or a step another name, also where others name it.
export function renamePart(e: Editing, sort: Sort, name: string, to: string): Step {
  const d = new Doing(e)
  const follow = (list: Path) => strings(d.value(list)).forEach((n, i) => n === name && d.set([...list, String(i)], to))
  for (const p of partsOf(e.doc, sort)) follow([...p.path, 'dependsOn'])
  if (sort === 'components') {
    for (const s of partsOf(e.doc, 'steps')) {
      follow([...s.path, 'components'])
      if (d.value([...s.path, 'component']) === name) d.set([...s.path, 'component'], to)
    }
    d.do({ dir: e.draft.dir, path: ['components', name], op: 'rename', value: to })
  } else {
    const step = partsOf(e.doc, sort).find((p) => p.name === name)
    if (step) d.set([...step.path, 'name'], to)
  }
  return { what: `rename ${sort === 'steps' ? 'step ' : ''}${name} to ${to}`, edits: d.edits }
}

// removeApplication takes out all files of an application.
export function removeApplication(e: Editing): Step {
  return { what: 'remove the application', edits: [{ dir: e.draft.dir, path: [], op: 'remove' }] }
}

// renameApplication moves them, and the server has others of the tenant follow.
export function renameApplication(e: Editing, to: string): Step {
  return { what: `rename the application to ${to}`, edits: [{ dir: e.draft.dir, path: [], op: 'rename', value: to }] }
}

// label is how a step names a field: replicas of web.
function label(e: Editing, path: Path): string {
  const steps = path[0] === 'workflow' && path[1] === 'steps' && path.length > 3
  if (path[0] === 'components' && path.length > 2) return `${written(path.slice(2))} of ${path[1]}`
  if (steps) return `${written(path.slice(3))} of step ${text(valueAt(e.doc, path.slice(0, 3)) ?? null, 'name')}`
  return written(path)
}

// Image is an image that components use, and each place that names it.
export interface Image {
  image: string
  at: Path[]
}

// imagesOf lists the images of an application.
export function imagesOf(doc: Value): Image[] {
  const found = new Map<string, Path[]>()
  const look = (v: Value, path: Path) => {
    if (Array.isArray(v)) v.forEach((x, i) => look(x, [...path, String(i)]))
    else if (isStruct(v)) for (const [k, x] of Object.entries(v)) look(x, [...path, k])
    else if (path.at(-1) === 'image' && typeof v === 'string' && v !== '') found.set(v, [...(found.get(v) ?? []), path])
  }
  for (const p of partsOf(doc, 'components')) {
    for (const part of [['properties', 'image'], ['traits', 'init'], ['traits', 'sidecars']]) {
      const v = valueAt(doc, [...p.path, ...part])
      if (v !== undefined) look(v, [...p.path, ...part])
    }
  }
  return [...found].map(([image, at]) => ({ image, at }))
}
