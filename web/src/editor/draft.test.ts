import { expect, test } from 'vitest'
import type { Edit, SourcePlace, Value } from '../answers/source'
import { changed, documentOf, editsOf, fateOf, fixedBy, isList, nameOf, originOf, redo, rewritten, said, undo, without, type Draft } from './draft'
import { append, applyEdits, folded, takeOut } from './edit'
import { declaredBy, fieldOf, pathOf, written } from './path'

const dir = 'tenants/acme/apps/shop'
const edit = (op: Edit['op'], path: string, value?: Value, to?: number): Edit => ({ dir, path: path.split('.'), op, ...(value !== undefined && { value }), ...(to !== undefined && { to }) })
const declared: Value = {
  name: 'shop',
  components: { web: { type: 'webservice', replicas: 4, dependsOn: ['migrate'], critical: true }, migrate: { type: 'job' } },
  workflow: { steps: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] },
}
const place = (path: string, kind: SourcePlace['kind'], why?: string): SourcePlace => ({ path: path.split('.'), file: 'app.cue', line: 7, kind, why })
const places = [
  place('components', 'struct'), place('components.web', 'struct'), place('components.web.replicas', 'literal'),
  place('components.web.dependsOn', 'list'), place('components.web.dependsOn.0', 'literal'), place('components.migrate', 'computed', 'refers to #job'),
  place('workflow', 'struct'), place('workflow.steps', 'list'), place('workflow.steps.0', 'struct'), place('workflow.steps.1', 'computed', 'is a reference'), place('workflow.steps.2', 'struct'),
]
const empty: Draft = { application: 'acme/shop', dir, base: 'x', created: false, done: [], undone: [] }
const draft = (...edits: Edit[]) => edits.reduce((d, e) => changed(d, { what: written(e.path), edits: [e] }), empty)

test('edits change a copy of the document', () => {
  const was = JSON.stringify(declared)
  expect(applyEdits(declared, [edit('set', 'components.web.replicas', 6), edit('set', 'components.web.traits.x', 'y')])).toMatchObject({ components: { web: { replicas: 6, traits: { x: 'y' } } } })
  const names = (...edits: Edit[]) => (applyEdits(declared, edits) as { workflow: { steps: { name: string }[] } }).workflow.steps.map((s) => s.name).join('')
  expect(names(edit('insert', 'workflow.steps.1', { name: 'x' }))).toBe('axbc')
  expect(names(edit('remove', 'workflow.steps.0'))).toBe('bc')
  expect(names(edit('move', 'workflow.steps.0', undefined, 2))).toBe('bca')
  expect(names(edit('move', 'workflow.steps.2', undefined, 0))).toBe('cab')
  expect(applyEdits(declared, [edit('unset', 'components.web'), edit('unset', 'components.gone.x')])).toEqual({ ...(declared as object), components: { migrate: { type: 'job' } } })
  expect(applyEdits({}, [edit('set', '__proto__.x', 1)])).not.toHaveProperty('x')
  expect(JSON.stringify(declared)).toBe(was)
})

test('what was done can be undone and done again', () => {
  let d = draft(edit('set', 'components.web.replicas', 6), edit('unset', 'components.web.critical'))
  expect(editsOf(undo(d))).toEqual([edit('set', 'components.web.replicas', 6)])
  expect(editsOf(redo(undo(d)))).toEqual(editsOf(d))
  expect(undo(undo(undo(d))).undone).toHaveLength(2)
  d = changed(undo(d), { what: 'else', edits: [edit('set', 'name', 'x')] })
  expect(redo(d)).toBe(d)
  const typed = ['6', '60'].reduce((now, value) => changed(now, { what: 'type', mark: 'm', edits: [edit('set', 'name', value)] }), empty)
  expect(typed.done).toHaveLength(1)
  expect(without(typed, ['name']).done).toHaveLength(0)
  expect([said(typed), nameOf(typed), said(d)]).toEqual(['acme/shop: type', 'acme-shop-type', 'acme/shop: components.web.replicas, and 1 more'])
})

test('what is new is written in one piece', () => {
  expect(folded([edit('set', 'components.cache', { type: 'store' }), edit('set', 'components.web.replicas', 5), edit('set', 'components.cache.properties.image', 'x'), edit('set', 'components.web.replicas', 6)])).toEqual([
    edit('set', 'components.cache', { type: 'store', properties: { image: 'x' } }), edit('set', 'components.web.replicas', 6),
  ])
  expect(folded([edit('insert', 'workflow.steps.1', { name: 'x' }), edit('set', 'workflow.steps.1.type', 'wait')])).toEqual([edit('insert', 'workflow.steps.1', { name: 'x', type: 'wait' })])
  expect(folded([edit('insert', 'workflow.steps.1', { name: 'x' }), edit('remove', 'workflow.steps.1')])).toEqual([])
  expect(folded([edit('set', 'components.c', { type: 'job' }), edit('unset', 'components.c')])).toEqual([edit('unset', 'components.c')])
  const moved = [edit('insert', 'workflow.steps.1', { name: 'x' }), edit('move', 'workflow.steps.1', undefined, 0), edit('set', 'workflow.steps.1.type', 'wait')]
  expect(folded(moved)).toEqual(moved)
  const reset = [edit('unset', 'components.web'), edit('set', 'components.web.replicas', 2)]
  expect(folded(reset)).toEqual(reset)
})

// Properties: folding changes no outcome, whatever is done in which order.
test('folded edits have the same outcome', () => {
  const full = (v: Value): Value | undefined => { // without structs that have nothing
    if (Array.isArray(v)) return v.map((x) => full(x) ?? {})
    if (typeof v !== 'object' || v === null) return v
    const kept = Object.entries(v).flatMap(([k, x]) => { const y = full(x); return y === undefined ? [] : [[k, y] as const] })
    return kept.length > 0 ? Object.fromEntries(kept) : undefined
  }
  let seed = 7
  const random = (n: number) => (seed = (seed * 48271) % 2147483647) % n
  for (let n = 0; n < 3000; n++) {
    let doc: Value = { m: { a: 1 }, l: ['p', { x: 1 }] }
    const edits: Edit[] = []
    for (let k = 0; k < 7; k++) {
      const list = (doc as { l?: Value[] }).l ?? []
      const at = random(list.length + 1)
      const options: Edit[] = [
        edit('set', 'm.a', [{ x: 1 }, 2, {}][random(3)] ?? 0), edit('set', 'm.b', [{ x: 1 }, {}][random(2)] ?? {}), edit('set', `m.b.${'yz'[random(2)]}`, k), edit('unset', `m.${['a', 'b', 'b.y'][random(3)]}`),
        edit('insert', `l.${at}`, { v: k }),
      ]
      if (at < list.length) options.push(edit('remove', `l.${at}`), edit('move', `l.${at}`, undefined, random(list.length)), edit('set', `l.${at}.w`, k))
      const e = options[random(options.length)]
      if (!e) continue
      edits.push(e)
      doc = applyEdits(doc, [e])
    }
    expect(full(applyEdits({ m: { a: 1 }, l: ['p', { x: 1 }] }, folded(edits))), JSON.stringify(edits)).toEqual(full(doc))
  }
})

test('a value is from the draft, a file or a default', () => {
  expect(originOf(empty, places, ['components', 'web', 'replicas'])).toMatchObject({ by: 'file' })
  expect(originOf(empty, places, ['components', 'web', 'critical'])).toEqual({ by: 'default' })
  const d = draft(edit('set', 'components.web.critical', false), edit('unset', 'components.web.replicas'), edit('insert', 'workflow.steps.0', { name: 'x' }))
  expect(originOf(d, places, ['components', 'web', 'critical'])).toEqual({ by: 'draft' })
  expect(originOf(d, places, ['components', 'web', 'replicas'])).toEqual({ by: 'default' })
  expect(originOf(d, places, ['workflow', 'steps', '0', 'name'])).toEqual({ by: 'draft' })
  expect(originOf(d, places, ['workflow', 'steps', '1'])).toMatchObject({ by: 'file', place: { path: ['workflow', 'steps', '0'] } })
  expect(fixedBy(d, places, ['workflow', 'steps', '2', 'timeout'])).toMatchObject({ why: 'is a reference' })
  expect(fixedBy(d, places, ['workflow', 'steps', '1', 'timeout'])).toBeUndefined()
  expect(fixedBy(d, places, ['components', 'migrate', 'replicas'])).toMatchObject({ why: 'refers to #job' })
  expect(fixedBy(d, places, ['components', 'web', 'replicas'])).toBeUndefined()
})

test('a list is written whole until it is there, and goes with its last element', () => {
  const deps = ['components', 'web', 'dependsOn']
  expect(isList(empty, places, declared, deps)).toBe(true)
  expect(append(dir, deps, 'db', declared, true)).toEqual(edit('insert', 'components.web.dependsOn.1', 'db'))
  expect(append(dir, ['components', 'migrate', 'dependsOn'], 'db', declared, false)).toEqual(edit('set', 'components.migrate.dependsOn', ['db']))
  expect(takeOut(dir, [...deps, '0'], declared, true)).toEqual(edit('unset', 'components.web.dependsOn'))
  const two = draft(edit('insert', 'components.web.dependsOn.1', 'db'))
  expect(takeOut(dir, [...deps, '0'], documentOf(two, declared), true)).toEqual(edit('remove', 'components.web.dependsOn.0'))
})

test('a path is read as it is written', () => {
  for (const path of [['components', 'web', 'replicas'], ['labels', 'a.b/"c'], ['resources', 'nvidia.com/gpu']]) expect(pathOf(written(path))).toEqual(path)
  expect(pathOf('workflow.steps.b.timeout', declared)).toEqual(['workflow', 'steps', '1', 'timeout'])
  const problem = { code: 'DA1203', message: '', dir, field: ['components', 'web', 'replicas'] }
  expect(fieldOf(problem, dir)).toEqual(['components', 'web', 'replicas'])
  expect(fieldOf({ ...problem, dir: 'tenants/acme' }, dir)).toBeUndefined()
  expect(fieldOf({ ...problem, field: [] }, dir)).toBeUndefined()
})

test('what is refused is shown as its files have it', () => {
  expect(declaredBy(places)).toEqual({ components: { web: { replicas: null, dependsOn: [null] }, migrate: null }, workflow: { steps: [{}, null, {}] } })
})

test('a part keeps its place and its origin under another name', () => {
  const rename = edit('rename', 'components.web', 'front')
  const d = draft(edit('set', 'components.web.replicas', 6), rename, edit('set', 'components.front.replicas', 7))
  const doc = documentOf(d, declared) as { components: Record<string, Value> }
  expect(Object.keys(doc.components)).toEqual(['front', 'migrate'])
  expect(doc.components.front).toMatchObject({ replicas: 7, type: 'webservice' })
  expect(editsOf(d)).toHaveLength(3)
  expect(originOf(draft(rename), places, ['components', 'front', 'replicas'])).toMatchObject({ by: 'file' })
  expect(applyEdits(declared, [edit('rename', 'components.gone', 'x')])).toEqual(declared)
})

test('an application ends or gets a name as a whole, and the last one counts', () => {
  const whole = (op: Edit['op'], value?: Value): Edit => ({ dir, path: [], op, ...(value !== undefined && { value }) })
  const d = draft(edit('set', 'components.web.replicas', 6), whole('rename', 'store'), edit('set', 'components.web.replicas', 7), whole('rename', 'market'))
  expect(documentOf(d, declared)).toMatchObject({ name: 'shop', components: { web: { replicas: 7 } } })
  expect(editsOf(d)).toEqual([edit('set', 'components.web.replicas', 7), whole('rename', 'market')])
  expect(fateOf(d)).toEqual({ name: 'market' })
  expect(originOf(d, places, ['components', 'web', 'dependsOn'])).toMatchObject({ by: 'file' })
  const gone = changed(d, { what: 'remove', edits: [whole('remove')] })
  expect(fateOf(gone)).toBe('removed')
  expect(editsOf(gone).at(-1)).toEqual(whole('remove'))
  expect(fateOf(without(gone, []))).toBeUndefined()
})

test('a text is none of the fields', () => {
  const d = draft(edit('set', 'components.web.replicas', 6), { dir, path: [`${dir}/app.cue`], op: 'text', value: 'package fleet\n' })
  expect(documentOf(d, declared)).toMatchObject({ components: { web: { replicas: 6 } } })
  expect(rewritten(d)).toBe(true)
  expect(rewritten(undo(d))).toBe(false)
  expect(editsOf(d)).toHaveLength(2)
})
