// The server selects; the address holds what is selected, so a reload shows the same.
import { assert, journey, settled } from '../harness.mjs'

await journey(async (page) => {
  const rows = page.locator('table.applications tbody tr:not([aria-hidden])')
  await page.getByRole('searchbox', { name: 'Search' }).fill('risk')
  await page.getByText('1 matches').waitFor()
  assert.match(await rows.first().innerText(), /initech\/risk/)
  await page.waitForURL(/\?q=risk$/)
  await page.reload()
  await page.getByText('1 matches').waitFor()

  await page.getByRole('searchbox', { name: 'Search' }).fill('')
  await page.getByText('9 match').waitFor()
  await page.getByRole('button', { name: 'unwell', exact: true }).click()
  await page.getByText('4 match').waitFor()
  await page.getByRole('button', { name: 'unwell', exact: true }).click()
  await page.getByRole('link', { name: '1 Rejected of globex' }).click()
  await page.getByText('1 matches').waitFor()
  await settled(page)
  const asked = new URL(page.url()).searchParams
  assert.deepEqual([asked.get('tenant'), asked.getAll('phase')], ['globex', ['Rejected']])
})
