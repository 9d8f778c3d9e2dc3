import { expect, test } from 'vitest'
import type { Preview } from '../answers/source'
import { checklist, missing, type Facts } from './checklist'
import { Shapes, type Schema } from './schema'

const schema: Schema = {
  properties: { application: { $ref: '#/$defs/Application' } },
  $defs: {
    Application: {
      type: 'object', required: ['name', 'components'],
      properties: { name: { type: 'string' }, components: { type: 'object', patternProperties: { '^[a-z]': { $ref: '#/$defs/Component' } } }, workflow: { type: 'object', properties: { steps: { type: 'array', items: { $ref: '#/$defs/Step' } } } } },
    },
    Component: {
      type: 'object', required: ['type'], properties: { type: { type: 'string' } },
      allOf: [{ if: { properties: { type: { const: 'secret' } } }, then: { properties: { properties: { type: 'object', required: ['data'], properties: { data: { type: 'object' } } } } },
        else: { properties: { properties: { type: 'object', required: ['image'], properties: { image: { type: 'string' } } } } } }],
    },
    Step: { type: 'object', required: ['name', 'type'], properties: { name: { type: 'string' }, type: { type: 'string' } } },
  },
}

test('what a schema asks for and nobody wrote is missing, and nothing else', () => {
  const shapes = new Shapes(schema)
  expect(missing(shapes, {})).toEqual([['name'], ['components']])
  expect(missing(shapes, {
    name: 'shop',
    components: { web: { type: 'webservice', properties: { image: '' } }, keys: { type: 'secret', properties: { data: { set: true } } }, job: { type: '' } },
    workflow: { steps: [{ name: 'a', type: 'job' }, { type: 'wait' }] },
  })).toEqual([['components', 'web', 'properties', 'image'], ['components', 'job', 'type'], ['workflow', 'steps', '1', 'name']])
})

const preview = (p: Partial<Preview>): Preview => ({ saves: false, base: '', files: [], diff: '', conflicts: [], problems: [], plan: null, ...p })
const problem = { code: 'DA1203', message: 'too much', path: '', dir: 'd', field: ['a'] } as unknown as Preview['problems'][number]
const facts: Facts = { edits: 1, most: 500, empty: [], preview: undefined, stale: false, failed: false, unseen: false, problems: [] }

test('a checklist says what is still to do, each thing once', () => {
  const open = (f: Partial<Facts>) => checklist({ ...facts, ...f }).filter((c) => !c.done).map((c) => c.what)
  expect(open({ edits: 0 })).toEqual(['change something'])
  expect(open({ edits: 501, stale: true })).toEqual(['have at most 500 edits; save some of them first', 'it is being checked …'])
  expect(open({ failed: true })).toEqual(['have it checked: the server gave no answer'])
  expect(open({ failed: true, unseen: true })).toEqual([])
  expect(open({ failed: true, unseen: true, edits: 501, empty: [['a']] })).toEqual(['have at most 500 edits; save some of them first', 'give a a value'])
  expect(open({ preview: preview({ saves: true }) })).toEqual([])
  expect(open({ preview: preview({ problems: [problem, problem] }), empty: [['a']], problems: [['a'], ['a']] })).toEqual(['give a a value'])
  expect(open({ preview: preview({ problems: [problem, problem, problem] }), problems: [['a'], ['a']] })).toEqual(['mend a', 'mend 1 problem of no field here, listed below'])
  expect(open({ preview: preview({}) })).toEqual(['change what makes a difference: the files would stay as they are'])
  expect(open({ preview: preview({ conflicts: [{ dir: 'd', path: ['a'], base: '1', mine: '2', theirs: '3' }] }) })).toEqual(['decide on 1 value that others changed, too'])
})
