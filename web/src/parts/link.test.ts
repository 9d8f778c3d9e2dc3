import { expect, test } from 'vitest'
import { commitURL, fileURL } from './link'

const hash = '0123456789abcdef0123456789abcdef01234567'
const links = { file: 'https://git.example.com/{commit}/{path}?x=1#L{line}', commit: 'https://git.example.com/{commit}' }

test('a place and a commit lead to where the platform says', () => {
  expect(fileURL(links, hash, 'tenants/acme/app.cue:9:13')).toBe(`https://git.example.com/${hash}/tenants/acme/app.cue?x=1#L9`)
  expect(fileURL(links, hash, 'fleet.cue')).toBe(`https://git.example.com/${hash}/fleet.cue?x=1#L1`)
  expect(commitURL(links, hash)).toBe(`https://git.example.com/${hash}`)
})

test('what is hostile leads nowhere, or stays in its place', () => {
  expect(fileURL(links, hash, 'a&b=<c>"#?{commit}é:7:1')).toBe(`https://git.example.com/${hash}/a%26b%3D%3Cc%3E%22%23%3F%7Bcommit%7D%C3%A9?x=1#L7`)
  for (const commit of ['javascript:alert(1)//{commit}', 'http://x.example/{commit}', '//x.example/{commit}', 'https://u@x.example/{commit}', ' https://x.example/{commit}']) {
    expect(commitURL({ commit }, hash)).toBeUndefined()
  }
  expect(commitURL(links, 'main')).toBeUndefined()
  expect(commitURL(undefined, hash)).toBeUndefined()
  expect(fileURL(links, hash, 'a.cue:x')).toBeUndefined()
})
