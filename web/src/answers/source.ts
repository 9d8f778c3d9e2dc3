import type { PolicyValue } from './decision'
import type { Approval, Plan } from './plan'
import type { Problem } from './words'

export type Path = string[]

// GET /api/v1/source/applications/TENANT/NAME, source/tenants/TENANT and source/platform: what the files of the clone say.
export interface Source {
  application: string
  dir: string
  base: string // the commit that a draft starts from
  files: { path: string; text: string | null; masked?: boolean }[]
  places: SourcePlace[]
  declared: Value | null // evaluated, with defaults; null if it is refused
  problems: FieldProblem[]
  policy: PolicyValue[] // in force
}

// Where a value is written. Paths begin below the application, the tenant or the platform.
export interface SourcePlace {
  path: Path
  file: string
  line: number
  kind: 'literal' | 'struct' | 'list' | 'computed'
  why?: string // it is computed
  value?: Value
}

export type Value = string | number | boolean | null | Value[] | { [name: string]: Value }
export type Struct = { [name: string]: Value }

// A problem, with the directory of the layer and the field below it that it is about; no field where that cannot be told.
export type FieldProblem = Problem & { dir: string; field: Path }

// GET /api/v1/offers: what a form can offer.
export interface Offers {
  base?: string
  componentTypes: OfferedType[]
  stepTypes: OfferedType[]
  traits?: { name: string; about?: string; types?: string[] }[]
  pools?: { name: string }[]
  qos?: string[]
  runtimes?: string[]
  applications?: string[]
  tenants?: string[]
}

export interface OfferedType {
  name: string
  about?: string
  definition?: boolean
}

// An edit of one path, as POST /api/v1/preview takes it.
export interface Edit {
  dir: string
  path: Path
  op: 'set' | 'unset' | 'insert' | 'remove' | 'move' | 'rename' | 'text' // text: the path is that of a file
  value?: Value
  to?: number
}

// What a draft would do, and whether it can be saved.
export interface Preview {
  saves: boolean
  base: string // the commit that it goes onto
  files: { path: string; created?: boolean; deleted?: boolean; text?: string | null }[]
  diff: string
  conflicts: Conflict[]
  problems: FieldProblem[]
  plan: Plan | null
}

// A value that somebody else changed since the base of a draft.
export interface Conflict {
  dir: string
  path: Path
  whole?: boolean // it is about the text of the file at the path
  base: string
  mine: string
  theirs: string
}

// Saved is the branch that a draft was saved as.
export interface Saved {
  branch: string
  commit: string
  push: string // the command that offers it to others; "": they have it
  pushed?: boolean
  refused?: string // why the origin did not take it
  propose?: string // where a pull request is opened
  text?: string // for that
  approvals?: Approval[]
}
