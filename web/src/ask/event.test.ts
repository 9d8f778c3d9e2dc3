import { expect, test } from 'vitest'
import { parsed } from './event'

test('an event has a name and data, a comment has neither', () => {
  expect(parsed('event: log\ndata: [{"text":"a: b"}]')).toEqual({ name: 'log', data: '[{"text":"a: b"}]' })
  expect(parsed(':')).toEqual({ name: '', data: '' })
})
