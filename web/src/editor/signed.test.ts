import { expect, test } from 'vitest'
import { validMerge } from './signed'

const by = (people: number, ...who: string[]) => validMerge({ area: 'tenant acme', files: 1, path: 'a.cue', people, who })

test('in a signed fleet it says whose merge is valid', () => {
  expect(by(1, 'ada')).toMatch(/^The fleet is signed: for tenant acme, only a merge that is signed by ada comes/)
  expect(by(1, 'ada', 'bob')).toContain('signed by 1 of ada, bob comes')
  expect(by(2, 'ada', 'bob')).toContain('signed by 2 of ada, bob comes')
  expect(by(1)).toContain('before access names somebody')
})
