import { expect, test } from 'vitest'
import { remedyOf } from './remedy'
import { commandOf, questionOf } from './setting'

test('each form of advice becomes settings of a what-if', () => {
  const written = (advice: string) => {
    const q = questionOf(remedyOf(advice, 'acme/shop'))
    return [...q.set, ...q.capacity.map((c) => `capacity ${c}`)]
  }
  expect(written('set priority to 201')).toEqual(['application.acme/shop.priority=201'])
  expect(written('raise budget.costPerHour to 0.2041')).toEqual(['application.acme/shop.budget.costPerHour=0.2041'])
  expect(written('run web with 1 replicas instead of 4')).toEqual(['application.acme/shop.components.web.replicas=1'])
  expect(written('request 587m cpu for each replica of web instead of 2')).toEqual(['application.acme/shop.components.web.resources.requests.cpu=587m'])
  expect(written('raise quota.nvidia.com/gpu of tenant acme to 6')).toEqual(['tenant.acme.quota.nvidia.com/gpu=6'])
  expect(written('give pool batch 20 cpu and 3Gi memory more')).toEqual(['capacity batch.cpu=+20', 'capacity batch.memory=+3Gi'])
  expect(written('raise quota.cpu of tenant acme to 28500m, which costs nobody')).toEqual(['tenant.acme.quota.cpu=28500m'])
  expect(written('spread web over 2 zones instead of 3')).toEqual([])
  expect(written('')).toEqual([])
})

test('the command line says the same', () => {
  const settings = remedyOf('give pool batch 20 cpu and 3Gi memory more', 'acme/shop')
  expect(commandOf(settings)).toBe('reconciler what-if --capacity batch.cpu=+20 --capacity batch.memory=+3Gi')
  expect(commandOf([{ kind: 'set', path: "tenant.o'neill.weight", value: '2' }])).toBe(`reconciler what-if --set 'tenant.o'\\''neill.weight=2'`)
})
