import { expect, test } from 'vitest'
import type { SourcePlace, Value } from '../answers/source'
import { connect, disconnect, imagesOf, insertPart, moveElement, partsOf, pastePart, removePart, renamePart, setSecret, setValue } from './actions'
import { copied, type Copied } from './clipboard'
import { changed, documentOf, editsOf, originOf, type Draft, type Step } from './draft'
import type { Editing } from './editing'
import { Shapes } from './schema'

const declared: Value = {
  components: {
    db: { type: 'store', properties: { image: 'pg:1' } },
    web: { type: 'webservice', dependsOn: ['db'], properties: { image: 'shop:1' }, traits: { sidecars: [{ image: 'proxy:1' }] } },
    job: { type: 'job', dependsOn: ['db', 'web'], properties: { image: 'shop:1' } },
  },
  workflow: { steps: [{ name: 'a', type: 'deploy', components: ['web', 'db'] }, { name: 'b', type: 'wait', dependsOn: ['a'] }] },
}
const place = (kind: SourcePlace['kind'], ...path: string[]): SourcePlace => ({ path, file: 'app.cue', line: 1, kind })
const places = [
  place('struct', 'components'), place('struct', 'components', 'web'), place('list', 'components', 'web', 'dependsOn'), place('list', 'components', 'job', 'dependsOn'),
  place('list', 'workflow', 'steps'), place('struct', 'workflow', 'steps', '0'), place('list', 'workflow', 'steps', '0', 'components'), place('list', 'workflow', 'steps', '1', 'dependsOn'),
  place('struct', 'components', 'web', 'properties'),
]

function after(declared: Value, ...acts: ((e: Editing) => Step)[]) {
  let draft: Draft = { application: 'acme/shop', dir: 'd', base: 'x', created: false, done: [], undone: [] }
  for (const act of acts) {
    const now = draft
    const e: Editing = {
      draft, doc: documentOf(draft, declared), places, policy: [], shapes: new Shapes({}), offers: undefined, problems: [], selected: [],
      select: () => undefined, goTo: () => undefined, change: () => undefined, openText: () => undefined, origin: (p) => originOf(now, places, p),
    }
    draft = changed(draft, act(e))
  }
  const doc = documentOf(draft, declared)
  const names = (sort: 'components' | 'steps') => partsOf(doc, sort).map((p) => `${p.name}<${p.after.join()}`)
  return { draft, doc, components: names('components'), steps: names('steps'), edits: editsOf(draft).map((e) => `${e.op} ${e.path.join('.')}`) }
}

test('components are joined, and parted', () => {
  const joined = after(declared, (e) => connect(e, 'components', 'db', 'web'), (e) => connect(e, 'components', 'web', 'job'))
  expect(joined.components).toEqual(['db<web', 'web<db,job', 'job<db,web'])
  expect(joined.edits).toEqual(['set components.db.dependsOn', 'insert components.web.dependsOn.1'])
  const parted = after(declared, (e) => disconnect(e, 'components', 'web', 'db'), (e) => disconnect(e, 'components', 'job', 'db'))
  expect(parted.components).toEqual(['db<', 'web<', 'job<web'])
  expect(parted.edits).toEqual(['unset components.web.dependsOn', 'remove components.job.dependsOn.0'])
})

test('what is inserted takes its place between others', () => {
  const put = after(declared, (e) => insertPart(e, 'components', { name: 'cache', type: 'store', value: {}, after: 'db', before: 'web' }))
  expect(put.components).toEqual(['db<', 'web<cache', 'job<db,web', 'cache<db'])
  expect(put.edits).toEqual(['set components.cache', 'set components.web.dependsOn.0'])
  const step = after(declared, (e) => insertPart(e, 'steps', { name: 'x', type: 'check', value: {}, after: 'a', before: 'b' }))
  expect([step.steps, step.edits[0]]).toEqual([['a<', 'x<a', 'b<x'], 'insert workflow.steps.1'])
  const first = after({ components: {} }, (e) => insertPart(e, 'steps', { name: 'x', type: 'deploy', value: {}, after: undefined, before: undefined }))
  expect(first.doc).toMatchObject({ workflow: { order: 'listed', steps: [{ name: 'x', type: 'deploy' }] } })
})

test('what is pasted is what was written, by a name that is free', () => {
  const own: Value = { ...(declared as object), components: { ...(declared as { components: object }).components, key: { type: 'secret', critical: true, properties: { data: { a: { set: true } } } } } }
  const all = [...places, place('struct', 'components', 'key'), place('literal', 'components', 'key', 'type'), place('literal', 'components', 'web', 'type'), place('literal', 'components', 'web', 'properties', 'image')]
  let web: Copied | undefined
  let key: Copied | undefined
  after(own, (e) => {
    const seen = { ...e, places: all, origin: (p: string[]) => originOf(e.draft, all, p) }
    web = copied(seen, 'components', 'web')
    key = copied(seen, 'components', 'key')
    return { what: '', edits: [] }
  })
  expect(web?.value).toEqual({ type: 'webservice', dependsOn: ['db'], properties: { image: 'shop:1' } })
  expect(key?.value).toEqual({ type: 'secret' })
  const twice = after(declared, (e) => pastePart(e, web as Copied).step, (e) => pastePart(e, web as Copied).step)
  expect(twice.components.slice(3)).toEqual(['web-2<db', 'web-3<db'])
  expect(twice.edits).toEqual(['set components.web-2', 'set components.web-3'])
  expect(after({ components: {} }, (e) => pastePart(e, web as Copied).step).components).toEqual(['web<'])
  expect(after(declared, (e) => pastePart(e, { sort: 'steps', name: 'b', value: { name: 'b', type: 'wait', dependsOn: ['a'] } }).step).steps).toEqual(['a<', 'b<a', 'b-2<a'])
})

test('what is removed is waited for by nobody', () => {
  const web = after(declared, (e) => removePart(e, 'components', 'web'))
  expect(web.components).toEqual(['db<', 'job<db'])
  expect(web.doc).toMatchObject({ workflow: { steps: [{ components: ['db'] }, {}] } })
  expect(after(declared, (e) => removePart(e, 'steps', 'a')).steps).toEqual(['b<'])
  expect(after(declared, (e) => removePart(e, 'steps', 'a'), (e) => removePart(e, 'steps', 'b')).doc).not.toHaveProperty('workflow')
})

test('a struct of a file is taken out before something else is set', () => {
  expect(after(declared, (e) => setValue(e, ['components', 'web', 'properties'], { a: 1 })).edits).toEqual(['unset components.web.properties', 'set components.web.properties'])
  expect(after(declared, (e) => moveElement(e, ['workflow', 'steps', '1'], 0)).edits).toEqual(['move workflow.steps.1'])
})

test('images are listed once, with all who use them', () => {
  expect(imagesOf(declared).map((i) => [i.image, i.at.length])).toEqual([['pg:1', 1], ['shop:1', 2], ['proxy:1', 1]])
})

test('a part has its new name wherever others name it', () => {
  const d = after(declared, (e) => renamePart(e, 'components', 'web', 'front'), (e) => renamePart(e, 'steps', 'a', 'first'))
  expect(d.components).toEqual(['db<', 'front<db', 'job<db,front'])
  expect(d.steps).toEqual(['first<', 'b<first'])
  expect(d.doc).toMatchObject({ workflow: { steps: [{ components: ['front', 'db'] }, {}] } })
  expect(d.edits[2]).toBe('rename components.web')
  expect(d.draft.done.map((s) => s.what)).toEqual(['rename web to front', 'rename step a to first'])
})

test('a secret is named and not told', () => {
  const d = after(declared, (e) => setSecret(e, ['components', 'db', 'properties', 'data', 'key'], 'correct-horse'))
  expect(d.draft.done[0]).toMatchObject({ secret: true, what: 'replace properties.data.key of db' })
})
