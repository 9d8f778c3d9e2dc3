import { expect, test } from 'vitest'
import { amountOf, ordered, Shapes, unitsOf, type Schema } from './schema'

const root: Schema = {
  properties: { application: { $ref: '#/$defs/Application' } },
  $defs: {
    Application: { type: 'object', required: ['name'], properties: { name: { $ref: '#/$defs/Name' }, components: { type: 'object', patternProperties: { '^[a-z]+$': { $ref: '#/$defs/Component' } } } } },
    Name: { type: 'string', description: 'a name', pattern: '^[a-z]+$' },
    CPU: { type: 'string' },
    Component: {
      type: 'object', required: ['type'],
      allOf: [
        { if: { properties: { type: { const: 'service' } } }, then: { properties: { properties: { $ref: '#/$defs/Service' } } } },
        { if: { properties: { type: { const: 'worker' } } }, then: { anyOf: [{ properties: { properties: { $ref: '#/$defs/Service' } } }, { properties: { properties: { $ref: '#/$defs/Process' } } }] } },
      ],
      properties: { type: { anyOf: [{ enum: ['service'] }, { $ref: '#/$defs/Name' }] }, cpu: { $ref: '#/$defs/CPU', description: 'of one' }, critical: { type: 'boolean', default: true }, properties: {} },
    },
    Service: { type: 'object', additionalProperties: false, required: ['image'], properties: { image: { type: 'string' }, ports: { type: 'array', items: { type: 'integer' } }, env: { type: 'object', patternProperties: { '^[A-Z]+$': { $ref: '#/$defs/Variable' } } } } },
    Process: { type: 'object', additionalProperties: false, required: ['command'], properties: { command: { type: 'array', items: { type: 'string' } } } },
    Variable: { anyOf: [{ type: 'string' }, { type: 'object', required: ['secret'], additionalProperties: false, properties: { secret: { $ref: '#/$defs/Name' } } }] },
  },
}
const shapes = new Shapes(root)
const doc = { components: { web: { type: 'service', properties: { env: { A: 'x', B: { secret: 'y' }, C: {} } } }, w: { type: 'worker', properties: { command: ['a'] } }, own: { type: 'mine' } } }
const kind = (...path: string[]) => shapes.kind(shapes.at(path, doc))

test('a field has the schema of its component', () => {
  expect([kind('name'), kind('components'), kind('components', 'web'), kind('components', 'web', 'type'), kind('components', 'web', 'critical')]).toEqual(['text', 'map', 'struct', 'text', 'bool'])
  expect([kind('components', 'web', 'properties'), kind('components', 'web', 'properties', 'ports'), kind('components', 'web', 'properties', 'ports', '0')]).toEqual(['struct', 'list', 'number'])
  expect([kind('components', 'web', 'properties', 'env', 'A'), kind('components', 'own', 'properties')]).toEqual(['variants', 'any'])
  expect(shapes.at(['components', 'web', 'cpu'], doc)).toMatchObject({ named: 'CPU', description: 'of one' })
  expect(ordered(shapes.at(['components', 'w', 'properties'], doc))).toEqual(['command'])
  expect(ordered(shapes.shape(shapes.at(['components', 'web'], doc), doc.components.web))).toEqual(['type', 'properties', 'cpu', 'critical'])
})

test('of alternatives that is taken which fits', () => {
  const v = shapes.at(['components', 'web', 'properties', 'env', 'A'], doc)
  expect(shapes.variant(v, 'x').type).toBe('string')
  expect(shapes.variant(v, { secret: 'y' }).properties).toBeDefined()
  expect(shapes.variant(v, {}).properties).toBeDefined()
  expect(shapes.at(['components', 'web', 'properties', 'env', 'B', 'secret'], doc).named).toBe('Name')
})

test('what is new has what is required', () => {
  expect(shapes.skeleton(shapes.resolved({ $ref: '#/$defs/Service' }))).toEqual({ image: '' })
  expect(shapes.skeleton({ $ref: '#/$defs/Variable' })).toBe('')
})

test('an amount has a number and a unit', () => {
  expect(unitsOf(shapes.at(['components', 'web', 'cpu'], doc))?.[0]).toEqual(['', 'cores'])
  expect([amountOf('500m'), amountOf('1.5Gi'), amountOf('1h30m'), amountOf('')]).toEqual([['500', 'm'], ['1.5', 'Gi'], undefined, undefined])
})
