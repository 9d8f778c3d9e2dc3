import { expect, test, vi } from 'vitest'

vi.stubGlobal('document', { querySelector: () => null, baseURI: 'http://localhost/' })
const { select } = await import('./exported')

const app = (application: string, phase: string, since: string, message = '', images: string[] = []) =>
  ({ application, phase, since, message, components: [{ images }] }) as never

const list = {
  unwell: 2,
  applications: [
    app('b/two', 'Degraded', '2026-03-01T12:00:00Z', 'short of CPU'),
    app('a-x/one', 'Admitted', '2026-03-03T12:00:00Z'),
    app('a/one', 'Running', '2026-03-02T12:00:00Z', '', ['ghcr.io/acme/Shop:1']),
  ],
}
const names = (query: string) => select(list, new URLSearchParams(query)).applications.map((a) => a.application)

test('an export selects and orders as the server does', () => {
  expect(names('')).toEqual(['b/two', 'a-x/one', 'a/one'])
  expect(names('sort=name')).toEqual(['a/one', 'a-x/one', 'b/two'])
  expect(names('sort=since')).toEqual(['a-x/one', 'a/one', 'b/two'])
  expect(names('phase=unwell')).toEqual(['b/two', 'a-x/one'])
  expect(names('phase=Running&phase=Degraded')).toEqual(['b/two', 'a/one'])
  expect(names('tenant=a')).toEqual(['a/one'])
  expect([names('q=shop:'), names('q=SHORT'), names('q=a-x')]).toEqual([['a/one'], ['b/two'], ['a-x/one']])
  expect(select(list, new URLSearchParams('limit=2'))).toMatchObject({ total: 3, next: '2' })
  expect(select(list, new URLSearchParams('limit=2&after=2'))).toMatchObject({ total: 3, next: '', applications: [{ application: 'a/one' }] })
})
