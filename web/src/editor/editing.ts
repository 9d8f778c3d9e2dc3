import { createContext, useContext } from 'react'
import type { PolicyValue } from '../answers/decision'
import type { FieldProblem, Offers, Path, SourcePlace, Value } from '../answers/source'
import type { Draft, Origin, Step } from './draft'
import type { Shapes } from './schema'

// Editing is what all parts of the editor share.
export interface Editing {
  draft: Draft
  doc: Value
  places: SourcePlace[]
  policy: PolicyValue[]
  shapes: Shapes
  offers: Offers | undefined
  problems: { at: Path; problem: FieldProblem }[]
  selected: Path // the field, component or step that the address names
  select: (path: Path) => void
  goTo: (path: Path) => void // selects it, and puts the focus there
  change: (step: Step) => void
  origin: (path: Path) => Origin
  openText: (file: string, line: number) => void // shows a file as text, at a line
}

export const EditingContext = createContext<Editing | undefined>(undefined)

export function useEditing(): Editing {
  const e = useContext(EditingContext)
  if (!e) throw new Error('no editor around this part')
  return e
}

// policyFor is the policy that gives a field its value where nobody sets it, undefined if none does.
export function policyFor(policy: PolicyValue[], path: Path): PolicyValue | undefined {
  const label = path[0] === 'components' ? path.slice(path[2] === 'resources' ? 3 : 2) : path[0] === 'policy' ? path.slice(1) : path
  const names = [`defaults.${label.join('.')}`, ...(path[0] === 'policy' ? [label.join('.')] : [])]
  return policy.find((p) => names.includes(p.path))
}
