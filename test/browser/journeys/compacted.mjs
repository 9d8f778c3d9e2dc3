// The branch is compacted under an open page: the page says the same as of the new commit, without a reload, and the timeline has what is left.
import { assert, journey, keep, settled } from '../harness.mjs'

await journey(async (page) => {
  const row = page.getByRole('row', { name: /acme\/books/ })
  const said = await row.innerText()
  const [tip] = (await page.locator('.freshness').innerText()).match(/[0-9a-f]{8,}/)
  await page.evaluate(() => (globalThis.loaded = 'once'))
  keep('ready', '') // the Go test compacts it now
  await page.waitForFunction((was) => !document.querySelector('.freshness')?.textContent?.includes(was), tip)
  await settled(page)
  assert.equal(await row.innerText(), said)
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Timeline' }).click()
  await page.getByRole('slider', { name: 'Moment' }).waitFor()
  assert.equal(await page.evaluate(() => globalThis.loaded), 'once', 'the page was not loaded again')
})
