// Git goes away under an open page: the page keeps what the branch said last, and says why. It goes on by itself.
import { assert, journey, keep, violations } from '../harness.mjs'

await journey(async (page) => {
  const away = page.getByText('The status branch cannot be read just now', { exact: false })
  await page.getByRole('row', { name: /acme\/shop.*Running/ }).waitFor()
  await page.evaluate(() => (globalThis.loaded = 'once'))
  keep('ready', '') // the Go test takes the repo away now
  await away.waitFor()
  assert.ok(await page.getByRole('row', { name: /acme\/shop.*Running/ }).isVisible())
  assert.deepEqual(await violations(page), [])
  keep('ready', '') // and brings it back
  await away.waitFor({ state: 'detached' })
  assert.equal(await page.evaluate(() => globalThis.loaded), 'once', 'the page was not loaded again')
})
