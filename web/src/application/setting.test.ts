import { expect, test } from 'vitest'
import { commandOf } from './setting'

test('the command line says the same', () => {
  const settings = [
    { kind: 'capacity', path: 'batch.cpu', value: '+20' },
    { kind: 'capacity', path: 'batch.memory', value: '+3Gi' },
  ] as const
  expect(commandOf([...settings])).toBe('reconciler what-if --capacity batch.cpu=+20 --capacity batch.memory=+3Gi')
  expect(commandOf([{ kind: 'set', path: "tenant.o'neill.weight", value: '2' }])).toBe(`reconciler what-if --set 'tenant.o'\\''neill.weight=2'`)
})
