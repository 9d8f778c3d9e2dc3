import type { Path, Value } from '../answers/source'
import { isStruct } from './path'

// Schema is what of JSON Schema describes an application.
export interface Schema {
  $ref?: string
  $defs?: Record<string, Schema>
  named?: string // the definition that it is from
  description?: string
  default?: Value
  type?: string
  const?: Value
  enum?: Value[]
  pattern?: string
  minimum?: number
  maximum?: number
  maxLength?: number
  minItems?: number
  required?: string[]
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
  if?: Schema
  then?: Schema
  else?: Schema
}

export type Kind = 'choice' | 'bool' | 'number' | 'text' | 'struct' | 'map' | 'list' | 'variants' | 'any'

// Shapes tells what shape the values of a document have.
export class Shapes {
  constructor(private readonly root: Schema) {}

  // whole is the schema of what a layer declares: its one field.
  whole(): Schema {
    return this.resolved(Object.values(this.root.properties ?? {})[0] ?? this.root)
  }

  // resolved is a schema with what it refers to. What it says itself wins.
  resolved(s: Schema): Schema {
    if (s.$ref === undefined) return s
    const named = s.$ref.slice(s.$ref.lastIndexOf('/') + 1)
    const { $ref: _, ...own } = s
    return { ...this.resolved(this.root.$defs?.[named] ?? {}), named, ...own }
  }

  // shape is a schema as it is for a value: conditions are decided, and of alternatives of structs the one is taken that fits.
  shape(schema: Schema, value: Value | undefined): Schema {
    let s = this.resolved(schema)
    const conditions = [...(s.allOf ?? []), ...(s.if ? [{ if: s.if, then: s.then, else: s.else }] : [])]
    for (const c of conditions) {
      const one = this.resolved(c)
      const holds: Schema | undefined = one.if ? (this.fits(one.if, value) ? one.then : one.else) : one
      if (holds) s = merged(s, this.chosen(holds, value))
    }
    return s.properties ? this.chosen(s, value) : s
  }

  private chosen(s: Schema, value: Value | undefined): Schema {
    const r = this.resolved(s)
    if (!r.anyOf) return r
    const fitting = r.anyOf.find((a) => this.fits(a, value)) ?? r.anyOf[0] ?? {}
    const { anyOf: _, ...own } = r
    return merged(own, this.resolved(fitting))
  }

  // below is the schema of a field or an element of a value.
  below(schema: Schema, value: Value | undefined, label: string): Schema {
    const s = this.variant(this.shape(schema, value), value)
    if (s.items) return this.resolved(s.items)
    const own = s.properties && Object.hasOwn(s.properties, label) ? s.properties[label] : undefined
    if (own) return this.resolved(own)
    for (const [pattern, of] of Object.entries(s.patternProperties ?? {})) {
      if (matches(pattern, label)) return this.resolved(of)
    }
    return typeof s.additionalProperties === 'object' ? this.resolved(s.additionalProperties) : {}
  }

  at(path: Path, doc: Value): Schema {
    let [s, v]: [Schema, Value | undefined] = [this.whole(), doc]
    for (const label of path) {
      s = this.below(s, v, label)
      v = Array.isArray(v) ? v[Number(label)] : isStruct(v) ? v[label] : undefined
    }
    return s
  }

  // variant is the alternative that a value has the form of.
  variant(s: Schema, value: Value | undefined): Schema {
    const list = s.anyOf
    if (!list || this.kind(s) !== 'variants') return s
    return this.resolved(list.find((a) => this.fits(a, value)) ?? list.find((a) => this.alike(a, value)) ?? list[0] ?? {})
  }

  kind(s: Schema): Kind {
    if (s.enum && s.type !== 'boolean' || s.const !== undefined) return 'choice'
    switch (s.type) {
      case 'boolean': return 'bool'
      case 'integer': case 'number': return 'number'
      case 'string': return 'text'
      case 'array': return s.items ? 'list' : 'any'
      case 'object': return s.properties ? 'struct' : s.patternProperties ? 'map' : 'any'
    }
    if (s.anyOf) {
      const kinds = new Set(s.anyOf.map((a) => this.kind(this.resolved(a))))
      return [...kinds].every((k) => k === 'text' || k === 'choice') ? 'text' : 'variants'
    }
    if (s.allOf?.every((a) => this.kind(this.resolved(a)) === 'text')) return 'text'
    return s.properties ? 'struct' : 'any'
  }

  // skeleton is the least value that a schema asks for.
  skeleton(schema: Schema): Value {
    const s = this.shape(schema, undefined)
    if (s.default !== undefined) return s.default
    if (s.const !== undefined) return s.const
    switch (this.kind(s)) {
      case 'choice': return s.enum?.[0] ?? ''
      case 'bool': return false
      case 'number': return s.minimum ?? 0
      case 'list': return []
      case 'struct': return Object.fromEntries((s.required ?? []).map((r) => [r, this.skeleton(s.properties?.[r] ?? {})]))
      case 'variants': return this.skeleton(this.resolved(s.anyOf?.[0] ?? {}))
      case 'map': return {}
      case 'any': return s.type === 'array' ? [] : s.type === 'object' || s.type === undefined ? {} : ''
      default: return ''
    }
  }

  // fits reports whether a value has the form that a schema wants.
  fits(schema: Schema, value: Value | undefined): boolean {
    const s = this.resolved(schema)
    if (s.const !== undefined) return value === s.const
    if (s.enum) return s.enum.some((e) => e === value)
    if (s.anyOf && !s.anyOf.some((a) => this.fits(a, value))) return false
    if (s.type && typeOf(value) !== s.type && !(s.type === 'number' && typeOf(value) === 'integer')) return false
    if (typeof value === 'string' && s.pattern && !matches(s.pattern, value)) return false
    if (!isStruct(value)) return !s.properties || value === undefined && !s.required
    if (s.required?.some((r) => !Object.hasOwn(value, r))) return false
    return Object.entries(value).every(([label, v]) => this.allows(s, label, v))
  }

  private allows(s: Schema, label: string, v: Value): boolean {
    const own = s.properties && Object.hasOwn(s.properties, label) ? s.properties[label] : undefined
    if (own) return this.fits(own, v)
    const pattern = Object.entries(s.patternProperties ?? {}).find(([p]) => matches(p, label))
    return pattern ? this.fits(pattern[1], v) : s.additionalProperties !== false
  }

  // alike reports whether a value that is not whole yet could become one of a schema.
  private alike(schema: Schema, value: Value | undefined): boolean {
    const s = this.resolved(schema)
    if (!isStruct(value)) return s.type === typeOf(value)
    return s.type === 'object' && Object.keys(value).every((k) => s.properties?.[k] !== undefined || s.patternProperties !== undefined)
  }
}

function merged(a: Schema, b: Schema): Schema {
  return { ...a, ...b, description: a.description ?? b.description, properties: a.properties || b.properties ? { ...a.properties, ...b.properties } : undefined, required: [...new Set([...(a.required ?? []), ...(b.required ?? [])])], allOf: undefined, if: undefined, anyOf: b.anyOf ?? a.anyOf }
}

function typeOf(v: Value | undefined): string {
  if (Array.isArray(v)) return 'array'
  if (v === null) return 'null'
  if (typeof v === 'number') return Number.isInteger(v) ? 'integer' : 'number'
  return typeof v
}

const patterns = new Map<string, RegExp | undefined>()

function matches(pattern: string, text: string): boolean {
  if (!patterns.has(pattern)) {
    try {
      patterns.set(pattern, new RegExp(pattern, 'u'))
    } catch {
      patterns.set(pattern, undefined) // of another dialect: the server knows
    }
  }
  return patterns.get(pattern)?.test(text) ?? true
}

const first = [
  'name', 'type', 'image', 'schedule', 'replicas', 'priority', 'desired', 'dependsOn', 'components', 'component', 'labels', 'budget', 'properties', 'resources', 'requests', 'cpu', 'memory',
  'placement', 'pool', 'ports', 'port', 'env', 'command', 'args', 'qos', 'critical', 'degrade', 'objectives', 'policy', 'lifecycle', 'traits',
]

// ordered lists the fields of a struct as people think of them.
export function ordered(s: Schema): string[] {
  const rank = (l: string) => (first.includes(l) ? first.indexOf(l) : first.length)
  return Object.keys(s.properties ?? {}).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
}

// unitsOf are the units of an amount, the usual one first, undefined if it is none.
export function unitsOf(s: Schema): [unit: string, word: string][] | undefined {
  switch (s.named) {
    case 'CPU': return [['', 'cores'], ['m', 'thousandths']]
    case 'Memory': return [['Mi', 'MiB'], ['Gi', 'GiB'], ['Ti', 'TiB'], ['Ki', 'KiB'], ['M', 'MB'], ['G', 'GB'], ['T', 'TB'], ['k', 'kB'], ['', 'bytes']]
    case 'Duration': return [['s', 'seconds'], ['m', 'minutes'], ['h', 'hours'], ['ms', 'milliseconds']]
    default: return undefined
  }
}

export const amountOf = (text: string): [number: string, unit: string] | undefined => {
  const m = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text)
  return m ? [m[1] ?? '', m[2] ?? ''] : undefined
}

