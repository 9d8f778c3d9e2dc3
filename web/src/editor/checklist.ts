import type { Path, Preview, Value } from '../answers/source'
import { isStruct, same, written } from './path'
import type { Schema, Shapes } from './schema'

// Check is one thing that a draft needs before it can be saved.
export interface Check {
  done: boolean
  what: string
  at?: Path // the field where it is to be done
}

// most is how many empty fields are listed, and how deep they may be.
const most = 50
const deepest = 40

// missing lists the fields that a schema asks for and that have no value yet.
export function missing(shapes: Shapes, doc: Value): Path[] {
  const found: Path[] = []
  const look = (schema: Schema, value: Value | undefined, path: Path) => {
    if (found.length >= most || path.length > deepest || (isStruct(value) && value.set === true)) return // a secret that is set
    const shape = shapes.variant(shapes.shape(schema, value), value)
    if (isStruct(value)) {
      for (const label of shape.required ?? []) {
        if (value[label] === undefined || value[label] === '') found.push([...path, label])
      }
    }
    if (typeof value !== 'object' || value === null) return
    for (const label of Object.keys(value)) look(shapes.below(schema, value, label), Array.isArray(value) ? value[Number(label)] : value[label], [...path, label])
  }
  look(shapes.whole(), doc, [])
  return found.slice(0, most)
}

// Facts are what a checklist is made of.
export interface Facts {
  edits: number
  most: number // that can be saved at once
  empty: Path[] // fields that need a value
  preview: Preview | undefined
  stale: boolean // the preview is not of this draft
  failed: boolean // there is no answer for this draft
  unseen: boolean // because it takes too long: it is judged when it is saved
  problems: Path[] // fields that something is wrong with
}

// checklist lists what a draft needs, in the order in which people do it.
export function checklist(f: Facts): Check[] {
  const judged = f.preview !== undefined && !f.stale && !f.failed
  const checks: Check[] = [{ done: f.edits > 0, what: f.edits > 0 ? 'something is changed' : 'change something' }]
  if (f.edits > f.most) checks.push({ done: false, what: `have at most ${f.most} edits; save some of them first` })
  if (f.empty.length === 0) checks.push({ done: true, what: 'every field that is needed has a value' })
  for (const at of f.empty) checks.push({ done: false, what: `give ${written(at)} a value`, at })
  if (f.edits === 0) return checks
  if (f.unseen) return [...checks, { done: true, what: 'it is checked when it is saved' }]
  checks.push({ done: judged, what: judged ? 'it is checked against all applications' : f.failed ? 'have it checked: the server gave no answer' : 'it is being checked …' })
  if (!f.preview || f.failed) return checks
  const { conflicts, problems } = f.preview
  checks.push({ done: conflicts.length === 0, what: conflicts.length === 0 ? 'nobody else changed the same' : `decide on ${counted(conflicts.length, 'value')} that others changed, too` })
  const fields = f.problems.filter((p, i) => !f.empty.some((e) => same(e, p)) && f.problems.findIndex((q) => same(p, q)) === i)
  if (problems.length === 0) checks.push({ done: true, what: 'nothing is refused' })
  for (const at of fields) checks.push({ done: false, what: `mend ${written(at)}`, at })
  const elsewhere = problems.length - f.problems.length
  if (elsewhere > 0) checks.push({ done: false, what: `mend ${counted(elsewhere, 'problem')} of no field here, listed below` })
  if (f.edits > 0 && judged && conflicts.length + problems.length === 0 && !f.preview.saves) checks.push({ done: false, what: 'change what makes a difference: the files would stay as they are' })
  return checks
}

const counted = (n: number, what: string) => (n === 1 ? `1 ${what}` : `${n} ${what}s`)
