import type { FieldProblem, Path, SourcePlace, Struct, Value } from '../answers/source'

export const same = (a: Path, b: Path) => a.length === b.length && within(a, b)

// within reports whether a path is at or below another.
export const within = (path: Path, above: Path) => above.length <= path.length && above.every((s, i) => s === path[i])

export const isStruct = (v: Value | undefined): v is Struct => typeof v === 'object' && v !== null && !Array.isArray(v)

// valueAt returns what a document has at a path.
export function valueAt(doc: Value | undefined, path: Path): Value | undefined {
  let at = doc
  for (const s of path) {
    if (Array.isArray(at)) at = at[Number(s)]
    else if (isStruct(at) && Object.hasOwn(at, s)) at = at[s]
    else return undefined
  }
  return at
}

// written is a path as people read it, and as the address of the page has it.
export const written = (path: Path) => path.map((s) => (/^[\w-]+$/.test(s) ? s : JSON.stringify(s))).join('.')

// pathOf reads a written path below an application. The steps of a workflow may be named instead of counted.
export function pathOf(text: string, doc?: Value | null): Path {
  const path = [...text.matchAll(/"(?:[^"\\]|\\.)*"|[^.[\]]+/g)].map(([s]) => (s.startsWith('"') ? unquoted(s) : s))
  const [first, second, step] = path
  if (first === 'workflow' && second === 'steps' && step !== undefined && !/^\d+$/.test(step)) {
    const steps = valueAt(doc ?? undefined, ['workflow', 'steps'])
    const at = Array.isArray(steps) ? steps.findIndex((s) => valueAt(s, ['name']) === step) : -1
    if (at >= 0) path[2] = String(at)
  }
  return path
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text))
  } catch {
    return text.slice(1)
  }
}

// fieldOf tells which field of what a directory declares a problem is about, undefined if that is not known.
export function fieldOf(p: FieldProblem, dir: string): Path | undefined {
  return p.dir === dir && p.field.length > 0 ? p.field : undefined
}

// declaredBy is what files say that are refused as a whole: without defaults, and null for what is computed.
export function declaredBy(places: SourcePlace[]): Value {
  const doc: Struct = {}
  for (const p of places.toSorted((a, b) => a.path.length - b.path.length)) {
    const [above, last] = [valueAt(doc, p.path.slice(0, -1)), p.path.at(-1) ?? '']
    const value: Value = p.kind === 'struct' ? {} : p.kind === 'list' ? [] : (p.value ?? null)
    if (Array.isArray(above)) above[Number(last)] ??= value
    else if (isStruct(above) && !Object.hasOwn(above, last)) Object.defineProperty(above, last, { value, enumerable: true, writable: true })
  }
  return doc
}
