// What a cluster has of an application: a tree that follows it, fields that are not as wanted, and a log by the keyboard alone.
import { assert, journey, keep, open, picture, violations } from '../harness.mjs'

await journey(async (page) => {
  await open(page, '/applications/acme/shop')
  await page.getByRole('link', { name: 'Live', exact: true }).click()
  const web = page.getByRole('region', { name: 'web', exact: true })
  const made = web.getByRole('list', { name: 'What Deployment shop-web made' })
  await made.getByText('running').waitFor()
  await page.getByRole('region', { name: 'Fields that differ' }).getByRole('cell', { name: /^spec\./ }).first().waitFor()
  await page.getByRole('region', { name: 'Events' }).getByText('ScalingReplicaSet').first().waitFor()
  await page.getByText('missing').first().waitFor()

  await page.evaluate(() => (globalThis.loaded = 'once'))
  keep('ready', '') // the Go test makes two of one
  await web.getByText('2 of 2 ready').first().waitFor()
  assert.equal(await made.getByRole('link', { name: /^Log of web in / }).count(), 2)
  assert.equal(await page.evaluate(() => globalThis.loaded), 'once', 'the page was not loaded again')

  for (let i = 0; i < 200; i++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(() => /^Log of web in /.test(document.activeElement?.getAttribute('aria-label') ?? ''))) break
  }
  await page.keyboard.press('Enter')
  const log = page.getByRole('region', { name: /^Lines of the log of web in / })
  await log.getByText('line 599', { exact: true }).waitFor()
  await page.getByText('601 lines').waitFor()
  assert.equal(await page.evaluate(() => document.activeElement?.className), 'log', 'the focus goes to what was opened')
  assert.match(page.url(), /pod=shop-web-.*container=web/, 'the address names the log')
  assert.ok((await log.locator('.line').count()) < 120, 'only lines in view are in the page')
  await page.getByRole('searchbox', { name: 'Only lines with' }).fill('onerror')
  await log.getByText('first <img src=x onerror=alert(1)>').waitFor()
  await page.getByText('1 of 601 lines').waitFor()
  await page.getByRole('searchbox', { name: 'Only lines with' }).fill('')
  await log.focus()
  await page.keyboard.press('Home')
  await log.getByText('line 0', { exact: true }).waitFor()
  assert.equal(await page.getByRole('checkbox', { name: 'Follow the end' }).isChecked(), false, 'who scrolls up stays there')

  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme })
    assert.deepEqual(await violations(page), [])
    await picture(page, `live-${colorScheme}`)
  }
})
