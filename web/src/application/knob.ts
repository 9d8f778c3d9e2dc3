import type { Advice, Constraint } from '../answers/decision'
import type { Explanation, SpecComponent } from '../answers/explanation'
import type { Tenant } from '../answers/tenant'
import { cpu, parseAmount } from '../parts/amount'
import type { Setting } from './setting'

// Knob is a value that a what-if can change, as whole steps of a unit.
export interface Knob {
  kind: Setting['kind']
  path: string
  label: string
  group: string
  now: number // in units
  least: number
  most: number
  step: number
  unit: Unit
}

// Unit tells how a number of units is written in a fleet: milli-CPU, MiB, thousandths of the currency, or a count.
export type Unit = 'cpu' | 'memory' | 'money' | 'count'

const mib = 2 ** 20

export function written(unit: Unit, n: number): string {
  if (unit === 'cpu') return n % 1000 === 0 ? String(n / 1000) : `${n}m`
  if (unit === 'money') return String(n / 1000)
  if (unit === 'memory' && n !== 0) return n % 1024 === 0 ? `${n / 1024}Gi` : `${n}Mi`
  return String(n)
}

// read is the reverse of written; NaN if it is no amount.
export function read(unit: Unit, text: string): number {
  const n = parseAmount(text)
  if (unit === 'cpu' || unit === 'money') return Math.round(n * 1000)
  if (unit === 'memory') return Math.round(n / mib)
  return Math.round(n)
}

export function shown(unit: Unit, n: number): string {
  return unit === 'cpu' ? cpu(n) : written(unit, n)
}

function unitOf(resource: string): Unit {
  return resource === 'cpu' || resource === 'memory' ? resource : 'count'
}

// knobs lists what can be tried for an application: what its decision was limited by comes first.
export function knobs(x: Explanation, tenant: Tenant | undefined): Knob[] {
  const [owner = ''] = x.application.split('/')
  const found = new Map<string, Knob>()
  const add = (k: Knob | undefined) => {
    if (k && !Number.isNaN(k.now) && !found.has(k.path)) found.set(k.path, k)
  }
  const checks = x.decision?.constraints ?? []
  for (const c of [...checks.filter((c) => !c.ok), ...checks.filter((c) => c.ok)]) add(ofCheck(c, owner, x.application))
  for (const c of x.spec?.components ?? []) ofComponent(c, x.application).forEach(add)
  for (const advice of x.decision?.advice ?? []) add(ofAdvice(advice))
  for (const s of x.decision?.shares ?? []) {
    const path = s.of === owner ? `tenant.${owner}.weight` : `group.${s.of}.weight`
    add(count(path, `weight of ${s.of}`, `Tenant ${owner}`, s.weight ?? 1, 1, 10))
  }
  for (const a of tenant?.amounts ?? []) {
    const unit = unitOf(a.resource)
    if (unit === 'count') continue
    add(scaled(`tenant.${owner}.guarantee.${a.resource}`, `guaranteed ${a.resource}`, `Tenant ${owner}`, unit, inUnits(unit, a.guarantee), inUnits(unit, a.quota ?? a.granted)))
  }
  return [...found.values()]
}

function inUnits(unit: Unit, n: number): number {
  return unit === 'memory' ? Math.round(n / mib) : n
}

// ofCheck is the limit of a check.
function ofCheck(c: Constraint, tenant: string, app: string): Knob | undefined {
  const [first = '', second = '', ...rest] = c.name.split('.')
  const asked = (unit: Unit) => read(unit, c.asked) + (c.used ? read(unit, c.used) : 0)
  if (c.name === 'priorityCeiling') return count(`application.${app}.priority`, 'priority', 'This application', Number(c.asked), 0, Number(c.limit))
  if (c.name === 'budget.costPerHour') return scaled(`application.${app}.${c.name}`, 'budget an hour', 'This application', 'money', read('money', c.limit), asked('money'))
  if (first === 'quota') {
    const resource = [second, ...rest].join('.')
    const unit = unitOf(resource)
    return scaled(`tenant.${tenant}.quota.${resource}`, `quota of ${resource}`, `Tenant ${tenant}`, unit, read(unit, c.limit), asked(unit))
  }
  if (first === 'groups' && rest[0] === 'quota') {
    const resource = rest.slice(1).join('.')
    const unit = unitOf(resource)
    return scaled(`group.${second}.quota.${resource}`, `quota of ${resource}`, `Group ${second}`, unit, read(unit, c.limit), asked(unit))
  }
  if (first === 'pool' || first === 'free') {
    const resource = rest.join('.')
    const unit = unitOf(resource)
    return { ...scaled(`${second}.${resource}`, `capacity of ${resource}`, `Pool ${second}`, unit, read(unit, c.limit), asked(unit)), kind: 'capacity' }
  }
  return undefined
}

function ofComponent(c: SpecComponent, app: string): Knob[] {
  const path = `application.${app}.components.${c.name}`
  const group = `Component ${c.name}`
  if (c.type === 'config' || c.type === 'secret' || c.type === 'external-secret' || c.type === 'external') return []
  const list = [count(`${path}.replicas`, 'replicas', group, c.replicas, 0, 2 * c.replicas)]
  if (c.requests.cpu) list.push(scaled(`${path}.resources.requests.cpu`, 'cpu of a replica', group, 'cpu', c.requests.cpu, 0))
  if (c.requests.memory) list.push(scaled(`${path}.resources.requests.memory`, 'memory of a replica', group, 'memory', inUnits('memory', c.requests.memory), 0))
  if (c.degrade) list.push(count(`${path}.degrade.minReplicas`, 'replicas at least', group, c.degrade.minReplicas, 0, c.replicas))
  return list
}

// ofAdvice is what advice sets. Of an application that was never accepted, nothing else tells its components.
function ofAdvice(advice: Advice): Knob | undefined {
  const setting = advice.settings?.[0]
  const now = advice.was
  const component = /\.components\.([^.]+)\./.exec(setting?.path ?? '')?.[1]
  if (!setting || !now || !component) return undefined
  const field = setting.path.split('.resources.requests.')[1] ?? 'replicas'
  const group = `Component ${component}`
  if (setting.path.endsWith('.degrade.minReplicas')) return undefined
  if (field === 'replicas') return count(setting.path, 'replicas', group, Number(now), 0, 2 * Number(now))
  const unit = unitOf(field)
  return scaled(setting.path, `${field} of a replica`, group, unit, read(unit, now), 0)
}

function count(path: string, label: string, group: string, now: number, least: number, most: number): Knob {
  return { kind: 'set', path, label, group, now, least: Math.min(least, now), most: Math.max(most, now, least + 10), step: 1, unit: 'count' }
}

const steps: Record<Unit, number[]> = { cpu: [50, 100, 250, 500, 1000, 2000, 5000, 10_000], memory: [16, 64, 256, 512, 1024, 2048, 4096, 16_384], money: [1, 5, 10, 50, 100, 1000], count: [1] }

// scaled is a knob from nothing to twice what there is, or to what is needed, in about a hundred steps.
function scaled(path: string, label: string, group: string, unit: Unit, now: number, needed: number): Knob {
  const most = Math.max(2 * now, 1.25 * needed, 1)
  const step = steps[unit].find((s) => most / s <= 120) ?? steps[unit].at(-1) ?? 1
  return { kind: 'set', path, label, group, now, least: 0, most: Math.ceil(most / step) * step, step, unit }
}
