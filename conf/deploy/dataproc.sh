#!/bin/bash
# Initialization action of Dataproc. The cluster's metadata kafkalyst-jars is the folder of the wheel's jars in a bucket, and
# kafkalyst-spark one of its Spark versions.
set -euo pipefail
PATH=$PATH:/usr/share/google
from=$(get_metadata_value attributes/kafkalyst-jars)
spark=$(get_metadata_value attributes/kafkalyst-spark)
gsutil cp "${from%/}/kafkalyst.jar" "${from%/}/common/*.jar" "${from%/}/spark-$spark/*.jar" /usr/lib/spark/jars/
