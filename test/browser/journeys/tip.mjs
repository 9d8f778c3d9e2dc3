// The branch moves on while a page is open: the page follows without a reload, in every tab, by one stream.
import { assert, journey, keep, origin } from '../harness.mjs'

await journey(async (page, context) => {
  let streams = 0
  context.on('request', (r) => {
    if (r.url().endsWith('/api/v1/stream')) streams++
  })
  const second = await context.newPage()
  await second.goto(origin + '/applications/acme/shop')
  await second.getByRole('heading', { level: 1, name: /acme\/shop/ }).waitFor()
  await page.getByRole('row', { name: /acme\/shop.*Scheduled/ }).waitFor()
  await page.evaluate(() => (globalThis.loaded = 'once'))
  await second.evaluate(() => (globalThis.loaded = 'once'))

  keep('ready', '') // the Go test moves the branch now
  await page.getByRole('row', { name: /acme\/shop.*Running/ }).waitFor()
  await second.getByRole('heading', { level: 1, name: /acme\/shop.*Running/ }).waitFor()
  assert.equal(await page.evaluate(() => globalThis.loaded), 'once', 'the page was not loaded again')
  assert.equal(await second.evaluate(() => globalThis.loaded), 'once')
  keep('ready', '') // and puts another history in its place, which has the fleet as it was
  await page.getByRole('row', { name: /acme\/shop.*Scheduled/ }).waitFor()
  await second.getByRole('heading', { level: 1, name: /acme\/shop.*Scheduled/ }).waitFor()
  assert.equal(await page.evaluate(() => globalThis.loaded), 'once')
  assert.ok(streams <= 1, `${streams} streams were opened after the first page`)

  await page.close() // who listened goes; the other one takes over
  await second.waitForRequest((r) => r.url().endsWith('/api/v1/stream'))
})
