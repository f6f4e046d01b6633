import BunnyCommand
import CBunnyShims
import Glibc

bunny_keep_secrets_on_crash()  // before a key is in memory
bunny_share_heaps()  // before there are threads
exit(runCommand())
