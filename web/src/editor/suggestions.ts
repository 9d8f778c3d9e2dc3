import type { Path } from '../answers/source'
import { partsOf } from './actions'
import type { Editing } from './editing'
import type { Schema } from './schema'

// suggestions lists what a text field is likely to name.
export function suggestions(e: Editing, path: Path, schema: Schema): string[] {
  const fromSchema = (schema.anyOf ?? []).flatMap((a) => (a.enum ?? []).map(String))
  const label = path.findLast((s) => !/^\d+$/.test(s))
  const types = path[0] === 'workflow' ? e.offers?.stepTypes : e.offers?.componentTypes
  switch (label) {
    case 'pool': return e.offers?.pools?.map((p) => p.name) ?? []
    case 'qos': return e.offers?.qos ?? []
    case 'type': return types?.map((t) => t.name) ?? fromSchema
    case 'runtime': return e.offers?.runtimes ?? fromSchema
    case 'dependsOn': return partsOf(e.doc, path[0] === 'workflow' ? 'steps' : 'components').map((p) => p.name)
    case 'components': case 'component': case 'undo': return partsOf(e.doc, 'components').map((p) => p.name)
    default: return fromSchema
  }
}
