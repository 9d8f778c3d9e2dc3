import { expect, test } from 'vitest'
import { pathOf } from '../editor/path'
import { editedBy } from './edited'

const to = (kind: 'set' | 'capacity', path: string, by: 'owner' | 'tenant' | 'platform' = 'platform') => editedBy({ kind, path, value: '1' }, 'acme/shop', by, ['batch'])

test('a change leads to the field of the layer that has it', () => {
  expect(to('set', 'application.acme/shop.components.web.replicas', 'owner')).toEqual({ layer: 'application', field: 'components.web.replicas' })
  expect(to('set', 'tenant.acme.quota.cpu', 'tenant')).toEqual({ layer: 'tenant', tenant: 'acme', field: 'quota.cpu' })
  expect(to('set', 'tenant.acme.quota.cpu')).toEqual({ layer: 'platform', field: 'allotments.acme.quota.cpu' })
  expect(to('set', 'tenant.acme.guarantee.memory')).toEqual({ layer: 'platform', field: 'allotments.acme.guarantee.memory' })
  expect(to('set', 'tenant.acme.weight')).toEqual({ layer: 'platform', field: 'allotments.acme.weight' })
  expect(to('set', 'group.retail.quota.workloads')).toEqual({ layer: 'platform', field: 'groups.retail.quota.workloads' })
  expect(to('capacity', 'batch.cpu')).toEqual({ layer: 'platform', field: 'pools.batch.capacity.cpu' })
  expect(to('capacity', 'general.cpu')).toEqual({ layer: 'platform', field: 'pools.general' })
})

test('devices and pools have names of their own', () => {
  const path = (s: ReturnType<typeof to>) => pathOf(s?.field ?? '')
  expect(path(to('capacity', 'batch.nvidia.com/gpu'))).toEqual(['pools', 'batch', 'capacity', 'devices', 'nvidia.com/gpu'])
  expect(path(to('capacity', 'batch.nvidia.com/gpu.shared'))).toEqual(['pools', 'batch', 'shares', 'nvidia.com/gpu'])
  expect(path(to('set', 'group.retail.quota.pools.batch.nvidia.com/gpu'))).toEqual(['groups', 'retail', 'quota', 'pools', 'batch', 'devices', 'nvidia.com/gpu'])
  expect(path(to('set', 'tenant.acme.quota.nvidia.com/gpu'))).toEqual(['allotments', 'acme', 'quota', 'devices', 'nvidia.com/gpu'])
})

test('what stands in no file leads nowhere', () => {
  expect(to('set', 'application.acme/other.priority', 'owner')).toBeUndefined()
  expect(to('set', 'platform.policy.history.halfLife')).toBeUndefined()
})
