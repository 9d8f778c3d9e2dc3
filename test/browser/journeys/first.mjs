// The dashboard is started before the reconciler has written anything: it says so, and shows the fleet once there is one.
import { journey, keep } from '../harness.mjs'

await journey(async (page) => {
  await page.getByText('The reconciler has not written the branch status', { exact: false }).waitFor()
  keep('ready', '') // the Go test lets the branch appear now
  await page.getByRole('row', { name: /acme\/shop.*Running/ }).waitFor()
  await page.getByText('The reconciler has not written the branch status', { exact: false }).waitFor({ state: 'detached' })
})
