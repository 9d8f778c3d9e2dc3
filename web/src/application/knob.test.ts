import { expect, test } from 'vitest'
import type { Explanation } from '../answers/explanation'
import { knobs, read, written } from './knob'

const waits: Explanation = {
  application: 'globex/analytics',
  instance: { application: 'globex/analytics', instance: 1, phase: 'Rejected', reason: 'QuotaExceeded', since: '' },
  decision: {
    application: 'globex/analytics', verdict: 'rejected', reason: 'QuotaExceeded', message: '', spec: '',
    inputs: { commit: '', policy: '', capacity: '' },
    constraints: [
      { name: 'priorityCeiling', asked: '100', limit: '600', ok: true },
      { name: 'quota.cpu', asked: '24', used: '4500m', limit: '16', ok: false },
      { name: 'pool.general.memory', asked: '48Gi', limit: '384Gi', ok: true },
      { name: 'limits.maxShare.cpu', asked: '24', limit: '76800m', ok: true },
    ],
    advice: [
      {
        change: 'replicas', by: 'owner', amount: '5', was: '12', text: 'run engine with 5 replicas instead of 12',
        settings: [{ kind: 'set', path: 'application.globex/analytics.components.engine.replicas', value: '5' }],
      },
    ],
  },
}

test('what limits an application can be turned, what fails first', () => {
  expect(knobs(waits, undefined).map((k) => [k.kind, k.path, k.now, k.most])).toEqual([
    ['set', 'tenant.globex.quota.cpu', 16_000, 36_000],
    ['set', 'application.globex/analytics.priority', 100, 600],
    ['capacity', 'general.memory', 384 * 1024, 768 * 1024],
    ['set', 'application.globex/analytics.components.engine.replicas', 12, 24],
  ])
})

test('amounts are written as a fleet writes them', () => {
  for (const [unit, n, text] of [['cpu', 28_500, '28500m'], ['cpu', 16_000, '16'], ['memory', 512, '512Mi'], ['memory', 2048, '2Gi'], ['memory', 0, '0'], ['money', 2500, '2.5'], ['count', 7, '7']] as const) {
    expect(written(unit, n)).toBe(text)
    expect(read(unit, text)).toBe(n)
  }
  expect(read('cpu', 'much')).toBeNaN()
})
