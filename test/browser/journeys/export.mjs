// An export shows the same below any path, from files alone: lists select and order, pages lead to each other, reloads stay.
import { assert, journey, picture, settled, url, violations } from '../harness.mjs'

await journey(async (page) => {
  await page.getByText('These pages were written on', { exact: false }).waitFor()
  assert.equal(await page.getByRole('link', { name: /Pull request|New application|Edit it|Change/ }).count(), 0)
  const rows = page.locator('table.applications tbody tr:not([aria-hidden])')
  await page.getByText('9 match').waitFor()
  await page.getByRole('searchbox', { name: 'Search' }).fill('risk')
  await page.getByText('1 matches').waitFor()
  assert.match(await rows.first().innerText(), /initech\/risk/)
  assert.ok(page.url().startsWith(url) && /#\/\?q=risk$/.test(page.url()), page.url())
  await page.reload()
  await page.getByText('1 matches').waitFor()
  await page.goto(url)
  await page.getByRole('link', { name: 'globex/analytics' }).click()
  await settled(page)
  assert.match(await page.locator('.sentence').innerText(), /asks for 24000m cpu/i)
  assert.equal(await page.getByRole('link', { name: /Edit it|Change/ }).count(), 0)
  await page.getByRole('link', { name: 'The whole decision, and what would admit it' }).click()
  await page.getByText('raise quota.cpu of tenant globex to 28500m').waitFor()
  await page.getByText('This needs a clone of the fleet repo', { exact: false }).waitFor()

  for (const [path, text] of [
    ['/applications/acme/shop', 'database'], ['/applications/acme/shop/history', 'commit'], ['/applications/acme/shop/run', 'workflow'],
    ['/tenants/globex', 'Quota'], ['/pools', 'general'], ['/problems', 'DA1203'], ['/timeline', 'Commits'], ['/licences', 'elkjs'],
  ]) {
    await page.goto(`${url}#${path}`)
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await settled(page)
    await page.getByText(text, { exact: false }).first().waitFor()
    assert.deepEqual(await violations(page), [], path)
    if (path === '/applications/acme/shop') await page.locator('.react-flow__node').first().waitFor()
  }
  await picture(page, 'export')
  await page.getByRole('link', { name: 'Skip to the content' }).press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Licences' }).waitFor()
})
