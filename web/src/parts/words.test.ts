import { expect, test } from 'vitest'
import { age, exact, isTime, length } from './age'
import { amount, money, parseAmount, thousandths } from './amount'

test('lengths of time are said as people say them', () => {
  expect([0, 59, 60, 61, 3 * 3600 + 300, 5 * 3600, 86_400, 2 * 86_400 + 3600, 24 * 86_400].map(length)).toEqual([
    '0 s', '59 s', '1 min', '1 min', '3 h 5 min', '5 h', '1 d', '2 d 1 h', '24 d',
  ])
  expect([age(1000, 1000), age(0, 90_000), age(120_000, 0)]).toEqual(['just now', '1 min ago', 'in 2 min'])
  expect(exact('2026-11-26T02:41:59.133354529Z')).toBe('2026-11-26 02:41:59 UTC')
  expect([undefined, '', '0001-01-01T00:00:00Z', 'soon', '2026-11-26T02:41:59Z'].map(isTime)).toEqual([false, false, false, false, true])
})

test('amounts are read and written as in a fleet', () => {
  expect(['500m', '2', '1.5', '3Gi', '2k', '-1'].map(parseAmount)).toEqual([0.5, 2, 1.5, 3 * 2 ** 30, 2000, -1])
  expect(['', 'many', '3 cpu', undefined].map(parseAmount)).toEqual([NaN, NaN, NaN, NaN])
  expect([amount('cpu', 250), amount('cpu', 4500), amount('memory', 6 * 2 ** 30), amount('memory', 1536 * 2 ** 20), amount('nvidia.com/gpu', 4)]).toEqual(['250m', '4.5', '6Gi', '1.5Gi', '4'])
  expect([thousandths(266), thousandths(1000), money(2_500_000), money(2000), money(0)]).toEqual(['26.6 %', '100 %', '2.50', '0.0020', '0.00'])
})
