import { expect, test } from 'vitest'
import { list, parseSearch, text, writeSearch } from './search'

test('an address says what people would write', () => {
  const at = '1234567890123456789012345678901234567890'
  expect(parseSearch(`?phase=Running&phase=unwell&q=a%26b&at=${at}`)).toEqual({ phase: ['Running', 'unwell'], q: 'a&b', at })
  expect(writeSearch({ phase: ['Running', 'unwell'], q: 'a&b', at: undefined, sort: '' })).toBe('?phase=Running&phase=unwell&q=a%26b')
  expect(writeSearch({})).toBe('')
  expect([text('x'), text(['y', 'z']), text(7), text('')]).toEqual(['x', 'y', undefined, undefined])
  expect([list('x'), list(['y', 7]), list(undefined)]).toEqual([['x'], ['y'], []])
})
