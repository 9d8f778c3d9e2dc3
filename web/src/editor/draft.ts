import type { Edit, Path, SourcePlace, Value } from '../answers/source'
import { applyEdits, before, folded, isWhole } from './edit'
import { titleOf } from './layer'
import { same, valueAt, within } from './path'

// Draft is what a person wants to change in an application, a tenant or the platform, as steps that can be undone.
export interface Draft {
  application: string // or the tenant; "." for the platform
  dir: string
  base: string
  created: boolean // the application is in no file yet
  done: Step[]
  undone: Step[]
}

// Step is what one action changed. Steps with the same mark, one after the other, are one.
export interface Step {
  what: string
  edits: Edit[]
  mark?: string
  secret?: boolean // it has a value that no browser keeps
}

// most is how many edits the server takes.
export const most = 500

export function changed(d: Draft, step: Step): Draft {
  const last = d.done.at(-1)
  const goesOn = step.mark !== undefined && last?.mark === step.mark && d.undone.length === 0
  return { ...d, done: [...(goesOn ? d.done.slice(0, -1) : d.done), step], undone: [] }
}

export function undo(d: Draft): Draft {
  const last = d.done.at(-1)
  return last ? { ...d, done: d.done.slice(0, -1), undone: [...d.undone, { ...last, mark: undefined }] } : d
}

export function redo(d: Draft): Draft {
  const next = d.undone.at(-1)
  return next ? { ...d, done: [...d.done, next], undone: d.undone.slice(0, -1) } : d
}

const allOf = (d: Draft) => d.done.flatMap((s) => s.edits)

// editsOf is what the server is asked to do.
export const editsOf = (d: Draft): Edit[] => folded(allOf(d))

// documentOf is the application as the draft wants it. Defaults of what is new are not in it.
export const documentOf = (d: Draft, declared: Value): Value => applyEdits(declared, allOf(d))

// without returns a draft that does not change a path any more.
export function without(d: Draft, path: Path): Draft {
  const left = (s: Step): Step => ({ ...s, edits: s.edits.filter((e) => !same(e.path, path)) })
  return { ...d, done: d.done.map(left).filter((s) => s.edits.length > 0), undone: [] }
}

// Origin says who a value is from: the draft, files, or a default.
export type Origin = { by: 'draft' } | { by: 'default' } | { by: 'file'; place: SourcePlace }

// Index finds places by their path, and the first place below a path.
interface Index {
  at: Map<string, SourcePlace[]>
  below: Map<string, SourcePlace>
}

const indexes = new WeakMap<SourcePlace[], Index>()
const keyOf = (path: Path) => JSON.stringify(path)

function indexOf(places: SourcePlace[]): Index {
  let index = indexes.get(places)
  if (!index) {
    index = { at: new Map(), below: new Map() }
    for (const p of places) {
      const key = keyOf(p.path)
      index.at.set(key, [...(index.at.get(key) ?? []), p])
      for (let n = 1; n < p.path.length; n++) {
        const above = keyOf(p.path.slice(0, n))
        if (!index.below.has(above)) index.below.set(above, p)
      }
    }
    indexes.set(places, index)
  }
  return index
}

// originOf tells who the value at a path of the document is from.
export function originOf(d: Draft, places: SourcePlace[], path: Path): Origin {
  const was = former(d, path)
  if (typeof was === 'string') return { by: was === 'made' ? 'draft' : 'default' }
  const { at, below } = indexOf(places)
  const place = at.get(keyOf(was))?.[0] ?? below.get(keyOf(was))
  if (place) return { by: 'file', place }
  return allOf(d).some((e) => e.op !== 'unset' && within(e.path, path)) ? { by: 'draft' } : { by: 'default' }
}

// former returns where the files have what is at a path now.
function former(d: Draft, path: Path): Path | 'made' | 'unset' {
  let at: Path | 'made' | 'unset' = path
  for (const e of allOf(d).toReversed()) {
    at = before(e, at)
    if (typeof at === 'string') return at
  }
  return at
}

// fixedBy returns the place because of which a value can only be changed by hand, undefined if there is none.
export function fixedBy(d: Draft, places: SourcePlace[], path: Path): SourcePlace | undefined {
  const was = former(d, path)
  if (was === 'made') return undefined
  const at = was === 'unset' ? path : was
  for (let n = at.length; n > 0; n--) {
    const here = indexOf(places).at.get(keyOf(at.slice(0, n))) ?? []
    const computed = here.find((p) => p.kind === 'computed')
    if (computed) return computed
    if (here.length > 0) return undefined
  }
  return undefined
}

// rewritten reports whether a draft changes files as text. Then the forms, which know the files before that, rest.
export const rewritten = (d: Draft) => d.done.some((s) => s.edits.some((e) => e.op === 'text'))

// fateOf is what becomes of the application as a whole: it goes away, or gets a name.
export function fateOf(d: Draft): 'removed' | { name: string } | undefined {
  const last = allOf(d).findLast(isWhole)
  return last && (last.op === 'remove' ? 'removed' : { name: String(last.value) })
}

// said is a message for the commit of a draft.
export function said(d: Draft): string {
  const whats = [...new Set(d.done.map((s) => s.what))]
  const [first = 'nothing'] = whats
  return `${titleOf(d.dir)}: ${first}${whats.length > 1 ? `, and ${whats.length - 1} more` : ''}`
}

// nameOf is a name for the branch of a draft.
export function nameOf(d: Draft): string {
  const slug = `${d.application === '.' ? 'platform' : d.application.replace('/', '-')} ${d.done[0]?.what ?? ''}`.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return slug.slice(0, 40).replace(/^-+|-+$/g, '') || 'draft'
}

// isList reports whether a list of the document is written as one, so that its elements can be edited one by one.
export function isList(d: Draft, places: SourcePlace[], doc: Value, path: Path): boolean {
  const o = originOf(d, places, path)
  return o.by === 'draft' ? Array.isArray(valueAt(doc, path)) : o.by === 'file' && o.place.kind === 'list' && same(o.place.path, former(d, path) as Path)
}
