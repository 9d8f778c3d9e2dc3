import type { Advice } from '../answers/decision'
import { written } from '../editor/path'
import type { Setting } from './setting'

// Edited is the field of a file that somebody edits to make what a what-if tried last.
export type Edited = { layer: 'application' | 'platform'; field: string } | { layer: 'tenant'; tenant: string; field: string }

// editedBy returns where a setting is written in files, undefined where it is in none. What a tenant is given stands in the platform's files, unless the
// tenant itself narrows it. The capacity of some pools is declared; what others have is what their nodes offer, so that leads to the pool.
export function editedBy(s: Setting, application: string, by: Advice['by'], declared: string[]): Edited | undefined {
  const pool = s.path.split('.', 1)[0] ?? ''
  if (s.kind === 'capacity') return { layer: 'platform', field: declared.includes(pool) ? ofCapacity(s.path) : `pools.${pool}` }
  const own = `application.${application}.`
  if (s.path.startsWith(own)) return { layer: 'application', field: s.path.slice(own.length) }
  const [, kind, name = '', field = ''] = /^(tenant|group)\.([^.]+)\.(.+)$/.exec(s.path) ?? []
  if (kind === 'group') return { layer: 'platform', field: `groups.${name}.${ofShare(field)}` }
  if (kind === 'tenant' && by === 'tenant') return { layer: 'tenant', tenant: name, field: ofShare(field) }
  if (kind === 'tenant') return { layer: 'platform', field: `allotments.${name}.${ofShare(field)}` }
  return undefined
}

// ofCapacity is the field of a resource of a pool. Shares of a device are made of whole ones, as many of each as the pool says.
function ofCapacity(path: string): string {
  const [, pool = '', resource = ''] = /^([^.]+)\.(.+)$/.exec(path) ?? []
  const shared = /^(.+\/.+)\.shared$/.exec(resource)?.[1]
  return written(shared === undefined ? ['pools', pool, 'capacity', ...ofResource(resource)] : ['pools', pool, 'shares', shared])
}

// ofShare is the field of what a tenant or a group may have: quota.cpu, guarantee.memory, quota.pools.batch.nvidia.com/gpu.
function ofShare(field: string): string {
  const [, of = '', pool, resource = ''] = /^(quota|guarantee|borrow|lend)\.(?:pools\.([^.]+)\.)?(.+)$/.exec(field) ?? []
  return of === '' ? field : written([of, ...(pool === undefined ? [] : ['pools', pool]), ...ofResource(resource)])
}

// ofResource is a resource below an amount: devices stand together.
const ofResource = (name: string) => (name.includes('/') ? ['devices', name] : [name])
