import { expect, test } from 'vitest'
import { counted } from './left'

test('what is left out is counted in words', () => {
  expect(counted({ applications: 9800 })).toBe('9,800 applications')
  expect(counted({ applications: 9300, edited: 9300, problems: 1 })).toBe('9,300 applications and 1 problem')
  expect(counted({ applications: 1, objects: 12, touched: 50 })).toBe('1 application, 12 objects and 50 tenants that are touched')
})
