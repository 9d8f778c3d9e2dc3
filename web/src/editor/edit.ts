import type { Edit, Path, Struct, Value } from '../answers/source'
import { isStruct, valueAt, within } from './path'

const listOf = (e: Edit) => e.path.slice(0, -1)
const indexOf = (e: Edit) => Number(e.path.at(-1))
// isWhole reports whether an edit removes all of an application, or gives it another name. The document stays as it is.
export const isWhole = (e: Edit) => e.path.length === 0 && (e.op === 'remove' || e.op === 'rename')

const arranges = (e: Edit) => e.op === 'insert' || e.op === 'remove' || e.op === 'move'

// applyEdits returns a document as it is after edits. The one that was given stays as it was.
export function applyEdits(doc: Value, edits: Edit[]): Value {
  return edits.reduce<Value>((d, e) => applied(d, e, e.path) ?? {}, doc)
}

// applied returns a value after an edit of a path below it, undefined if nothing of it is left.
function applied(v: Value | undefined, e: Edit, path: Path): Value | undefined {
  const [first, ...rest] = path
  if (e.op === 'text' || isWhole(e)) return v // forms do not read files, and show one application
  if (first === undefined) return e.op === 'unset' ? undefined : e.value
  if (rest.length === 0 && arranges(e)) return arranged(Array.isArray(v) ? v : [], e)
  if (Array.isArray(v)) {
    const next = applied(v[Number(first)], e, rest)
    return next === undefined ? v.filter((_, i) => i !== Number(first)) : v.map((x, i) => (i === Number(first) ? next : x))
  }
  const own: Struct = isStruct(v) ? v : {}
  if (e.op === 'rename' && rest.length === 0) return Object.fromEntries(Object.entries(own).map(([name, value]) => [name === first ? String(e.value) : name, value]))
  const had = Object.hasOwn(own, first) ? own[first] : undefined
  if ((e.op === 'unset' || e.op === 'rename') && had === undefined) return v
  const below = applied(had, e, rest)
  const next = e.op === 'unset' && isStruct(below) && Object.keys(below).length === 0 ? undefined : below // it goes with what it held
  const changed: Struct = Object.create(null) as Struct
  for (const [name, value] of Object.entries(own)) if (name !== first || next !== undefined) changed[name] = name === first && next !== undefined ? next : value
  if (next !== undefined && !Object.hasOwn(changed, first)) changed[first] = next
  return changed
}

function arranged(list: Value[], e: Edit): Value[] {
  const at = indexOf(e)
  if (e.op === 'insert') return list.toSpliced(at, 0, e.value ?? null)
  if (e.op === 'remove') return list.toSpliced(at, 1)
  const moved = list[at]
  return moved === undefined ? list : list.toSpliced(at, 1).toSpliced(e.to ?? at, 0, moved)
}

// before returns where a path was before an edit, or how the edit made what is there now.
export function before(e: Edit, path: Path): Path | 'made' | 'unset' {
  if (e.op === 'text' || isWhole(e)) return path
  if (e.op === 'rename') {
    const to = e.path.with(-1, String(e.value))
    return within(path, to) ? [...e.path, ...path.slice(to.length)] : path
  }
  if (e.op === 'set') return within(path, e.path) ? 'made' : path
  if (e.op === 'unset') return within(path, e.path) ? 'unset' : path
  const list = listOf(e)
  if (path.length <= list.length || !within(path, list)) return path
  const [at, is] = [indexOf(e), Number(path[list.length])]
  const was = (i: number) => path.with(list.length, String(i))
  if (e.op === 'insert') return is === at ? 'made' : is > at ? was(is - 1) : path
  if (e.op === 'remove') return is >= at ? was(is + 1) : path
  const to = e.to ?? at
  if (is === to) return was(at)
  if (at < to && is >= at && is < to) return was(is + 1)
  return at > to && is > to && is <= at ? was(is - 1) : path
}

// folded returns edits with the same outcome that are as few as can be: what was set and then changed is set once, so that what
// is new is written in one piece.
export function folded(edits: Edit[]): Edit[] {
  const out: Edit[] = []
  for (const e of edits) {
    if (isWhole(e)) {
      const last = out.findIndex((x) => isWhole(x) && x.dir === e.dir)
      if (last >= 0) out.splice(last, 1) // only the last name counts
      out.push(e)
      continue
    }
    const at = e.op === 'rename' || e.op === 'text' ? -1 : maker(out, e)
    const m = out[at]
    if (!m || m.value === undefined) {
      out.push(e)
      continue
    }
    const rest = e.path.slice(m.path.length)
    const counted = out.slice(at + 1).some((x) => within(x.path, listOf(m))) // elements as they are counted with the new one
    if (rest.length === 0 && e.op === 'remove' && m.op === 'insert' && !counted) out.splice(at, 1)
    else if (rest.length === 0 && e.op === 'unset' && m.op === 'set') out[at] = { dir: e.dir, path: e.path, op: 'unset' }
    else if (rest.length === 0 && e.op === 'set') out[at] = { ...m, value: e.value }
    else if (rest.length > 0 && typeof m.value === 'object') out[at] = { ...m, value: applied(m.value, e, rest) }
    else out.push(e)
  }
  return out
}

// maker finds the edit that set or inserted what another one changes, if nothing in between could have moved or removed it.
function maker(out: Edit[], e: Edit): number {
  for (let i = out.length - 1; i >= 0; i--) {
    const m = out[i]
    if (!m || m.dir !== e.dir || isWhole(m)) continue
    if (m.op === 'text' || (m.op === 'rename' && within(e.path, listOf(m)))) return -1 // what was before has another name, or is text
    if ((m.op === 'set' || m.op === 'insert') && within(e.path, m.path)) return i
    if (arranges(m) ? within(e.path, listOf(m)) : m.op === 'unset' && (within(e.path, m.path) || within(m.path, e.path))) return -1
    if (m.op === 'set' && within(m.path, e.path)) return -1
  }
  return -1
}

// append adds a value at the end of a list, which is written whole if no file has it yet.
export function append(dir: string, path: Path, value: Value, doc: Value, listIsWritten: boolean): Edit {
  const had = valueAt(doc, path)
  const list = Array.isArray(had) ? had : []
  return listIsWritten
    ? { dir, path: [...path, String(list.length)], op: 'insert', value }
    : { dir, path, op: 'set', value: [...list, value] }
}

// takeOut removes an element of a list, and the list with the last one of its elements.
export function takeOut(dir: string, path: Path, doc: Value, listIsWritten: boolean): Edit {
  const list = path.slice(0, -1)
  const had = valueAt(doc, list)
  const left = Array.isArray(had) ? had.toSpliced(Number(path.at(-1)), 1) : []
  if (left.length === 0) return { dir, path: list, op: 'unset' }
  return listIsWritten ? { dir, path, op: 'remove' } : { dir, path: list, op: 'set', value: left }
}
