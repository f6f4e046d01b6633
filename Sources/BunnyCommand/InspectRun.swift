func inspectMedia(_ options: InspectOptions) throws(CommandError) {
  throw CommandError(.fault, "inspect is not wired yet")
}
